"""A server on the PyPI package `websockets` that answers calls as a browser does and sends events in random fragments,
with pings between them. Arguments: the folder that holds the package, and a seed. Prints `listening PORT`."""

import asyncio
import json
import random
import sys

folder, seed = sys.argv[1:]
sys.path.insert(0, folder)

from websockets.asyncio.server import serve  # noqa: E402
from websockets.exceptions import ConnectionClosed  # noqa: E402

chance = random.Random(int(seed))
last_close = None


async def converse(socket):
    global last_close
    pings = {"sent": 0, "answered": 0, "wrong": 0}
    pongs = set()
    # A fragmented message must not be cut by another one.
    turn = asyncio.Lock()

    async def ping():
        payload = f"{pings['sent']} {'p' * chance.randrange(100)}".encode()
        pings["sent"] += 1
        task = asyncio.ensure_future(await socket.ping(payload))

        def answered(_):
            pings["answered"] += 1

        task.add_done_callback(answered)
        pongs.add(task)

    async def send(message):
        data = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        cuts = sorted(chance.randrange(len(data)) for _ in range(chance.randrange(5))) if chance.randrange(3) == 0 else []

        async def parts():
            start = 0
            for cut in cuts:
                yield data[start:cut]
                start = cut
                if chance.randrange(3) == 0:
                    await ping()
            yield data[start:]

        async with turn:
            await (socket.send(parts(), text=True) if cuts else socket.send(data, text=True))

    async def events(count):
        for n in range(count):
            size = 70000 if chance.randrange(50) == 0 else chance.randrange(400)
            await send({"method": "Outside.event", "params": {"n": n, "text": chance.choice("aß€😀") * size}})
            if chance.randrange(10) == 0:
                await ping()

    tasks = set()
    try:
        async for text in socket:
            call = json.loads(text)
            method, params = call["method"], call.get("params", {})
            if method == "Outside.events":
                tasks.add(asyncio.create_task(events(params["count"])))
            if method == "Outside.close":
                await socket.close(params["code"], params["reason"])
                break
            if method == "Outside.end":
                socket.transport.abort()
                break
            result = dict(pings, lastClose=last_close) if method == "Outside.report" else params
            await send({"id": call["id"], "result": result})
    except ConnectionClosed:
        pass
    finally:
        await socket.wait_closed()
        last_close = socket.close_code


async def main():
    async with serve(converse, "127.0.0.1", 0, max_size=200 << 20, ping_interval=None) as server:
        print("listening", server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


asyncio.run(main())

// Says values that JSON can't say, in both directions: `encode` for results, `revive` for arguments. Sent with the calls that need it.
// @ts-check

const typedArrays = ["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
  "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array", "DataView"];

/** @param {any} value @returns {string} */
const nameOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

/** @param {Uint8Array} bytes */
const toBase64 = (bytes) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
};

/**
 * Containers are numbered in the order in which they are met; one that is met again is told by its number.
 * @param {any} root
 */
const encode = (root) => {
  /** @type {Map<any, number>} */
  const seen = new Map();
  /** @param {string} what @param {string} path @returns {never} */
  const refuse = (what, path) => {
    throw new TypeError(`${what} can't be given as a value${path && `, at ${path}`}`);
  };
  /** @param {any} value @param {string} path @param {number} depth @returns {any} */
  const visit = (value, path, depth) => {
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    if (value === undefined) return { undefined: 0 };
    if (typeof value === "number") {
      return Number.isFinite(value) && !Object.is(value, -0) ? value : { number: Object.is(value, -0) ? "-0" : String(value) };
    }
    if (typeof value === "bigint") return { bigint: String(value) };
    if (typeof value === "symbol" || typeof value === "function") refuse(`a ${typeof value}`, path);
    if (seen.has(value)) return { reference: seen.get(value) };
    if (depth > 500) refuse("what is nested more than 500 deep", "");
    const name = nameOf(value);
    if (name === "Date") return { date: Number.isNaN(value.getTime()) ? null : value.getTime() };
    if (name === "RegExp") return { regexp: [value.source, value.flags] };
    if (name === "URL") return { url: value.href };
    if (name === "Error" || name === "DOMException") return { error: [value.name, value.message, value.stack || ""] };
    if (name === "ArrayBuffer") return { bytes: [name, toBase64(new Uint8Array(value))] };
    if (ArrayBuffer.isView(value)) {
      return { bytes: [name, toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))] };
    }
    if (["Window", "global", "Promise", "WeakMap", "WeakSet", "WeakRef"].includes(name) || (typeof Node === "function" && value instanceof Node)) {
      refuse(`a ${name}`, path);
    }
    seen.set(value, seen.size);
    if (Array.isArray(value)) return { array: value.map((item, at) => visit(item, `${path}[${at}]`, depth + 1)) };
    if (name === "Map") {
      return { map: [...value].map(([key, item], at) => [visit(key, `${path}.keys[${at}]`, depth + 1), visit(item, `${path}.values[${at}]`, depth + 1)]) };
    }
    if (name === "Set") return { set: [...value].map((item, at) => visit(item, `${path}.values[${at}]`, depth + 1)) };
    return { object: Object.keys(value).map((key) => [key, visit(value[key], `${path}.${key}`, depth + 1)]) };
  };
  return visit(root, "", 0);
};

/**
 * Makes an argument of JSON in which an object with the one key `marker` holds what `encode` would have given.
 * @param {string} marker
 * @param {any} json
 * @param {any[]} handles
 */
const revive = (marker, json, handles) => {
  /** @param {any} code @param {any[]} seen @returns {any} */
  const decode = (code, seen) => {
    if (code === null || typeof code !== "object") return code;
    const [[kind, data]] = Object.entries(code);
    /** @template T @param {T} container @returns {T} */
    const met = (container) => (seen.push(container), container);
    switch (kind) {
      case "undefined": return undefined;
      case "number": return Number(data);
      case "bigint": return BigInt(data);
      case "date": return new Date(data === null ? NaN : data);
      case "regexp": return new RegExp(data[0], data[1]);
      case "url": return new URL(data);
      case "error": return Object.assign(new Error(data[1]), { name: data[0], stack: data[2] });
      case "bytes": {
        const { buffer } = Uint8Array.from(atob(data[1]), (char) => char.charCodeAt(0));
        return typedArrays.includes(data[0]) ? new (/** @type {any} */ (globalThis)[data[0]])(buffer) : buffer;
      }
      case "reference": return seen[data];
      case "handle": return handles[data];
      case "array": {
        const array = met(/** @type {any[]} */ ([]));
        for (const item of data) array.push(decode(item, seen));
        return array;
      }
      case "map": {
        const map = met(new Map());
        for (const [key, item] of data) map.set(decode(key, seen), decode(item, seen));
        return map;
      }
      case "set": {
        const set = met(new Set());
        for (const item of data) set.add(decode(item, seen));
        return set;
      }
      default: {
        const object = met(/** @type {any} */ ({}));
        for (const [key, item] of data) {
          Object.defineProperty(object, key, { value: decode(item, seen), enumerable: true, configurable: true, writable: true });
        }
        return object;
      }
    }
  };
  /** @param {any} value @returns {any} */
  const walk = (value) => {
    if (value === null || typeof value !== "object") return value;
    if (Object.hasOwn(value, marker)) return decode(value[marker], []);
    for (const key of Object.keys(value)) value[key] = walk(value[key]);
    return value;
  };
  return walk(json);
};

//! The shop's orders. Their sequence here is that of the list before it is sorted.

pub(crate) struct Order {
    pub(crate) number: u32,
    pub(crate) customer: &'static str,
    pub(crate) placed: &'static str,
    pub(crate) cents: u32,
    pub(crate) state: &'static str,
    pub(crate) note: &'static str,
}

impl Order {
    pub(crate) fn find(number: u32) -> Option<&'static Order> {
        ORDERS.iter().find(|order| order.number == number)
    }

    pub(crate) fn total(&self) -> String {
        format!("€ {}.{:02}", self.cents / 100, self.cents % 100)
    }
}

const fn order(
    number: u32,
    customer: &'static str,
    placed: &'static str,
    cents: u32,
    state: &'static str,
    note: &'static str,
) -> Order {
    Order { number, customer, placed, cents, state, note }
}

/// Order 1051 names 1042 in its note: who looks for the text alone finds two rows.
pub(crate) const ORDERS: &[Order] = &[
    order(1042, "Halden & Moe", "12 November", 24_900, "Packed", ""),
    order(1036, "Brickfield Primary School", "9 November", 8_745, "Shipped", ""),
    order(1051, "Halden & Moe", "16 November", 26_150, "Packed", "Replaces order 1042"),
    order(1033, "Osei Architects", "8 November", 112_000, "Shipped", ""),
    order(1047, "Lindqvist Bokhandel", "14 November", 5_230, "Packed", "Deliver to the rear entrance"),
    order(1039, "Tern Marine Surveys", "11 November", 43_310, "Shipped", ""),
    order(1044, "Marwood Dental", "13 November", 17_905, "Packed", ""),
    order(1035, "Rosa Quintero", "9 November", 1_995, "Shipped", ""),
    order(1049, "Parish of St Bride", "15 November", 7_640, "Packed", ""),
    order(1034, "Nakagawa Ceramics", "8 November", 66_480, "Shipped", ""),
    order(1052, "Greenway Cycles", "17 November", 31_200, "Packed", "Phone before delivery"),
    order(1040, "Dr. E. Vass", "11 November", 2_750, "Shipped", ""),
    order(1046, "Bluebell Nursery", "14 November", 9_915, "Packed", ""),
    order(1037, "Farrow Legal", "10 November", 54_025, "Shipped", ""),
    order(1043, "Institut Valmont", "13 November", 24_900, "Packed", ""),
    order(1050, "Kestrel Films", "16 November", 88_870, "Packed", ""),
    order(1038, "Ocean Row Theatre", "10 November", 12_485, "Shipped", ""),
    order(1045, "Adeyemi & Sons", "13 November", 3_360, "Packed", ""),
    order(1053, "Sable Coffee", "17 November", 14_070, "Packed", ""),
    order(1041, "North Pier Trust", "12 November", 20_515, "Shipped", ""),
    order(1048, "Corvid Games", "15 November", 6_990, "Packed", ""),
    order(1054, "University Library", "18 November", 140_300, "Packed", "Three boxes"),
];

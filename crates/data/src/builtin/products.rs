//! Names and prices of the shop's products, put together from word lists of our own.

use super::random::Random;

/// One category: how large, how popular, how often its orders come back, and what its products are called.
pub(super) struct Category {
    pub(super) name: &'static str,
    pub(super) products: usize,
    /// How likely an order is about this category, relative to the others.
    pub(super) popularity: usize,
    /// Of 1,000 orders mainly about this category, how many come back. Orders are mixed, so the rate that its items
    /// show lies a little closer to the overall rate than this one.
    pub(super) returned_per_mille: usize,
    first: &'static [&'static str],
    /// What it is and what such a thing usually costs.
    second: &'static [(&'static str, i64)],
}

pub(super) const CATEGORIES: [Category; 5] = [
    Category {
        name: "Electronics",
        products: 110,
        popularity: 24,
        returned_per_mille: 118,
        first: &["Kestrel", "Lumo", "Arden", "Vektor", "Nimbus", "Tarn", "Quill", "Oriel"],
        second: &[
            ("Wireless Mouse", 29),
            ("Mechanical Keyboard", 89),
            ("Noise-Cancelling Headphones", 219),
            ("USB-C Hub", 45),
            ("Webcam", 69),
            ("Bluetooth Speaker", 79),
            ("27-inch Monitor", 289),
            ("E-Reader", 139),
            ("Fitness Band", 59),
            ("Power Bank", 39),
            ("Tablet Stand", 35),
            ("Smart Plug", 18),
            ("Dash Camera", 119),
            ("Portable Drive", 95),
            ("Wi-Fi Router", 129),
            ("Desk Microphone", 99),
            ("Action Camera", 249),
            ("Earbuds", 85),
            ("Phone Charger", 22),
            ("Mini Projector", 329),
        ],
    },
    Category {
        name: "Clothing",
        products: 110,
        popularity: 26,
        returned_per_mille: 200,
        first: &["Linen", "Merino", "Organic Cotton", "Corduroy", "Waxed", "Quilted", "Striped", "Flannel"],
        second: &[
            ("Shirt", 45),
            ("Jacket", 119),
            ("Trousers", 65),
            ("Cardigan", 72),
            ("Scarf", 28),
            ("Overshirt", 79),
            ("Dress", 85),
            ("Skirt", 52),
            ("Hoodie", 58),
            ("Beanie", 19),
            ("Socks, Three Pairs", 16),
            ("Pyjamas", 49),
            ("Waistcoat", 62),
            ("Raincoat", 109),
            ("Gloves", 26),
            ("Jumper", 68),
            ("Dungarees", 75),
            ("Blouse", 48),
        ],
    },
    Category {
        name: "Home",
        products: 100,
        popularity: 20,
        returned_per_mille: 102,
        first: &["Oak", "Stoneware", "Copper", "Bamboo", "Enamel", "Walnut", "Glass", "Cast Iron"],
        second: &[
            ("Serving Board", 34),
            ("Table Lamp", 79),
            ("Wall Clock", 48),
            ("Storage Basket", 29),
            ("Vase", 36),
            ("Coffee Pot", 42),
            ("Salad Bowl", 38),
            ("Candle Holder", 18),
            ("Bread Bin", 46),
            ("Spice Rack", 32),
            ("Plant Pot", 21),
            ("Picture Frame", 24),
            ("Kettle", 59),
            ("Mixing Bowl", 27),
            ("Coat Hook", 14),
            ("Side Table", 149),
        ],
    },
    Category {
        name: "Books",
        products: 90,
        popularity: 16,
        returned_per_mille: 38,
        first: &[
            "A Short History of",
            "The Secret Life of",
            "Letters from",
            "A Field Guide to",
            "The Cartographer of",
            "Learning to Love",
            "Night Trains and",
            "The Last Winter of",
            "Notes, Mostly on",
        ],
        second: &[
            ("Lighthouses", 18),
            ("Salt Marshes", 22),
            ("Clockmakers", 16),
            ("Mountain Weather", 26),
            ("Slow Rivers", 14),
            ("Bakers", 19),
            ("Moths", 24),
            ("Bridges", 34),
            ("Beekeeping", 28),
            ("Islands", 15),
            ("Orchards", 21),
            ("Small Machines", 31),
        ],
    },
    Category {
        name: "Toys",
        products: 90,
        popularity: 14,
        returned_per_mille: 107,
        first: &["Wooden", "Magnetic", "Glow-in-the-Dark", "Pocket", "Giant", "Wind-Up", "Woodland", "Rainbow"],
        second: &[
            ("Train Set", 49),
            ("Building Blocks", 32),
            ("Puzzle", 16),
            ("Marble Run", 38),
            ("Dinosaur", 14),
            ("Kite", 19),
            ("Tea Party", 27),
            ("Robot", 42),
            ("Animal Farm", 36),
            ("Spinning Top", 9),
            ("Doll House", 79),
            ("Racing Car", 18),
            ("Xylophone", 23),
            ("Memory Cards", 12),
        ],
    },
];

/// One product of the shop.
pub(super) struct Product {
    pub(super) name: String,
    /// Index into [`CATEGORIES`].
    pub(super) category: usize,
    pub(super) price_cents: i64,
    /// How likely it is chosen within its category, relative to the others.
    pub(super) popularity: usize,
}

/// All products, in an order that mixes the categories.
pub(super) fn all(random: &mut Random) -> Vec<Product> {
    let mut products = Vec::new();
    for (index, category) in CATEGORIES.iter().enumerate() {
        let mut kinds: Vec<(&str, &(&str, i64))> = category
            .first
            .iter()
            .flat_map(|first| category.second.iter().map(move |second| (*first, second)))
            .collect();
        random.shuffle(&mut kinds);
        for (rank, (first, (second, usual))) in kinds.into_iter().take(category.products).enumerate() {
            products.push(Product {
                name: format!("{first} {second}"),
                category: index,
                price_cents: price(*usual, random),
                // A few favourites and a long tail, as in any shop.
                popularity: 10 + 600 / (rank + 6),
            });
        }
    }
    random.shuffle(&mut products);
    products
}

/// From a quarter below the usual price to a half above it, ending as prices do.
fn price(usual: i64, random: &mut Random) -> i64 {
    let whole = usual * random.between(75, 150) / 100;
    whole * 100 + *random.pick(&[99, 99, 99, 95, 90, 50, 49, 0])
}

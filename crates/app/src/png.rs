//! A drawn chart as a PNG picture, by `resvg`, with the font of the Python environment: no other font is looked for, so the
//! same answer is the same picture on every machine.

use std::path::Path;

use base::{Action, Code, Problem};
use resvg::usvg::{Group, Node, Options, Tree};
use resvg::{tiny_skia, usvg};
use sandbox::Environment;

/// For screens with small pixels, and for being enlarged in a document.
const PIXELS_PER_UNIT: f32 = 2.0;
const FAMILY: &str = "DejaVu Sans";
/// The library for figures brings its font along.
const FONTS: [&str; 2] =
    ["matplotlib/mpl-data/fonts/ttf/DejaVuSans.ttf", "matplotlib/mpl-data/fonts/ttf/DejaVuSans-Bold.ttf"];

/// A picture, and what is not on it as it should be.
pub struct Picture {
    /// The file's contents.
    pub png: Vec<u8>,
    /// Whether some letters are not in the font and show as boxes.
    pub letters_missing: bool,
}

/// The font files of the Python environment in that directory.
pub fn fonts(environments: &Path) -> Result<Vec<Vec<u8>>, Problem> {
    let environment = Environment::locate(environments).ok_or_else(|| {
        Problem::new(Code::EnvironmentMissing, "the font of pictures is in the Python environment, which is not made")
            .hint("ask any question to make it, or name an .svg file")
    })?;
    let font = |name: &&str| {
        let path = environment.packages().join(name);
        std::fs::read(&path).map_err(|error| {
            Problem::new(Code::EnvironmentMissing, format!("cannot read the font `{}`: {error}", path.display()))
                .hint("remove the environment to have it made anew, or name an .svg file")
                .action(Action::CheckMachine)
        })
    };
    FONTS.iter().map(font).collect()
}

/// Draws SVG in pixels.
pub fn draw(svg: &str, fonts: Vec<Vec<u8>>) -> Result<Picture, Problem> {
    let mut options = Options { font_family: FAMILY.to_string(), ..Options::default() };
    let known = options.fontdb_mut();
    fonts.into_iter().for_each(|font| known.load_font_data(font));
    known.set_sans_serif_family(FAMILY);
    let tree = Tree::from_str(svg, &options).map_err(undrawn)?;
    let size = tree.size().to_int_size().scale_by(PIXELS_PER_UNIT).ok_or_else(|| undrawn("it has no size"))?;
    let mut pixels =
        tiny_skia::Pixmap::new(size.width(), size.height()).ok_or_else(|| undrawn("it is too large to draw"))?;
    let transform = tiny_skia::Transform::from_scale(PIXELS_PER_UNIT, PIXELS_PER_UNIT);
    resvg::render(&tree, transform, &mut pixels.as_mut());
    let png = pixels.encode_png().map_err(undrawn)?;
    Ok(Picture { png, letters_missing: has_missing_letters(tree.root()) })
}

/// Glyph 0 of every font stands for what it does not have.
fn has_missing_letters(group: &Group) -> bool {
    group.children().iter().any(|node| match node {
        Node::Group(group) => has_missing_letters(group),
        Node::Text(text) => {
            text.layouted().iter().flat_map(|span| &span.positioned_glyphs).any(|glyph| glyph.id == usvg::GlyphId(0))
        }
        Node::Path(_) | Node::Image(_) => false,
    })
}

fn undrawn(error: impl std::fmt::Display) -> Problem {
    Problem::new(Code::Internal, format!("the chart cannot be drawn as a picture: {error}"))
        .hint("name an .svg file, and please report the question")
}

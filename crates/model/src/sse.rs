//! Server-sent events from bytes, however the network cut them.
//!
//! Text is decoded by whole lines, so that a character whose bytes come apart is put together again.

/// One event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Its kind, empty where the server names none.
    pub event: String,
    /// Its data lines, joined.
    pub data: String,
}

/// Takes bytes and gives frames.
#[derive(Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    frame: Frame,
    has_data: bool,
    is_after_return: bool,
}

impl Parser {
    /// The frames that end within these bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        for byte in bytes {
            let is_second_half = std::mem::take(&mut self.is_after_return) && *byte == b'\n';
            match byte {
                b'\n' if is_second_half => {}
                b'\n' | b'\r' => {
                    self.is_after_return = *byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    frames.extend(self.end_line(&String::from_utf8_lossy(&line)));
                }
                _ => self.line.push(*byte),
            }
        }
        frames
    }

    /// What stands complete when the stream ends but lacks its empty line, as some servers leave it. A line without its
    /// end is dropped: it was cut.
    pub fn end(&mut self) -> Option<Frame> {
        self.line.clear();
        self.end_frame()
    }

    /// How much is held back until its frame is complete.
    pub fn bytes_held(&self) -> usize {
        self.line.len() + self.frame.data.len()
    }

    fn end_line(&mut self, line: &str) -> Option<Frame> {
        let line = line.trim_start_matches('\u{feff}');
        if line.is_empty() {
            return self.end_frame();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.frame.event = value.to_string(),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.frame.data.push('\n');
                }
                self.frame.data.push_str(value);
            }
            // A comment has no field; ids and times of reconnection are for those who reconnect.
            _ => {}
        }
        None
    }

    fn end_frame(&mut self) -> Option<Frame> {
        let frame = std::mem::take(&mut self.frame);
        std::mem::take(&mut self.has_data).then_some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(event: &str, data: &str) -> Frame {
        Frame { event: event.into(), data: data.into() }
    }

    #[test]
    fn every_cut_of_the_bytes_gives_the_same_frames() {
        let text = "\u{feff}: hello\n\nevent: a\ndata: {\"x\":\"Zürich 日本 🦀\"}\n\n:ping\r\nid: 7\r\ndata: one\r\ndata:two\r\n\r\n\
                    event: nothing\n\rdata\r\rretry: 5\ndata:  spaced\n\n";
        let expected =
            [frame("a", "{\"x\":\"Zürich 日本 🦀\"}"), frame("", "one\ntwo"), frame("", ""), frame("", " spaced")];
        for size in 1..text.len() {
            let mut parser = Parser::default();
            let frames: Vec<_> = text.as_bytes().chunks(size).flat_map(|bytes| parser.push(bytes)).collect();
            assert_eq!(frames, expected, "in pieces of {size}");
        }
    }

    #[test]
    fn an_end_without_an_empty_line_keeps_whole_lines_only() {
        let mut parser = Parser::default();
        assert_eq!(parser.push(b"data: [DONE]\n"), []);
        assert_eq!(parser.end(), Some(frame("", "[DONE]")));
        assert_eq!(parser.push(b"data: {\"cut\":"), []);
        assert_eq!((parser.bytes_held(), parser.end(), parser.bytes_held()), (13, None, 0));
    }
}

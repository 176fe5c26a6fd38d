//! What one client sends changes no byte of another's answers. One thread serves both, so that they share its buffers.

mod common;

use common::{PATIENCE, root};
use hopline_service::limits::Limits;
use hopline_service::metrics::Dropped;
use hopline_service::server::{Options, Server};
use hopline_service::store::Source;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

const LINES: [&str; 9] = [
    "query node001:node036\n",
    "@ json route node001:node036\n",
    "matrix hops node001 node036 node064\n",
    "matrix speed *\n",
    "select 4 *\n",
    "order *\n",
    "groups\n",
    "query node001:nowhere\n",
    "matrix hops\n",
];

const HEADS: [&str; 4] = [
    "GET /route?from=node001&to=node036 HTTP/1.1\r\nHost: x\r\n\r\n",
    "HEAD /groups HTTP/1.1\r\n\r\n",
    "GET /matrix?of=hops&hosts=* HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n",
];

/// What must not reach anybody else.
fn hostile() -> Vec<Vec<u8>> {
    let get = "GET /groups HTTP/1.1\r\n";
    let texts = [
        "query node00".to_string(),
        "query \"node001".to_string(),
        "\0\0\0\n\u{7}\n".to_string(),
        "query node001:node036\n".repeat(500),
        "matrix hops *\n".repeat(60),
        "query node001:node036\nGET /groups HTTP/1.1\r\n\r\n".to_string(),
        "x".repeat(200_000),
        format!("select 4 {}\n", "node001 ".repeat(8_000)),
        "select 99999999999999999999 *\nselect -1 *\n".to_string(),
        format!("{get}\r\n{get}"),
        format!("{get}X: {}", "y".repeat(200_000)),
        format!("{get}{}", "A: b\r\n".repeat(100)),
        format!("{get}Content-Length: 5\r\n\r\nGET /"),
        format!("{get}Content-Length: 0\r\nContent-Length: 9\r\n\r\nquery a:b"),
        format!("{get}Content-Length: -1\r\n\r\nquery node001:node002\n"),
        format!("{get}Transfer-Encoding: chunked\r\n\r\nffffffff\r\n"),
        "POST / HTTP/1.1\r\nContent-Length: 18446744073709551616\r\n\r\n".to_string(),
        "GET / HTTP/9.9\r\n\r\n".to_string(),
        "GET /%ff%00%zz?from=%0d%0aX:%20y&to=%0a HTTP/1.1\r\nConnection: close\r\n\r\n".to_string(),
        "token \u{1f980}\n".to_string(),
    ];
    texts.into_iter().map(String::into_bytes).chain([vec![0xff; 3000], b"query \xc3\x28:\xff\n".repeat(20)]).collect()
}

fn serve() -> Server {
    let source = Source::open(&root().join("testdata/fabrics/rack64")).expect("dumps");
    let options = Options { threads: 1, limits: Limits::default(), ..Options::loopback(0) };
    Server::start(source, options, Arc::new(|_: &str| ())).expect("a server")
}

fn connect(server: &Server) -> TcpStream {
    let stream = common::raw(server);
    stream.set_nodelay(true).expect("at once");
    stream
}

/// The bytes that a server with no other client answers to each question.
fn quiet(questions: &[&str]) -> Vec<Vec<u8>> {
    let server = serve();
    let answer = |question: &&str| {
        let (mut stream, mut bytes) = (connect(&server), Vec::new());
        stream.write_all(question.as_bytes()).expect("sent");
        stream.shutdown(Shutdown::Write).expect("half closed");
        stream.read_to_end(&mut bytes).expect("an answer");
        bytes
    };
    questions.iter().map(answer).collect()
}

/// A client that is answered as if it were alone.
struct Good {
    stream: TcpStream,
    questions: &'static [&'static str],
    answers: Vec<Vec<u8>>,
    asked: usize,
}

impl Good {
    fn new(server: &Server, questions: &'static [&'static str]) -> Good {
        Good { stream: connect(server), questions, answers: quiet(questions), asked: 0 }
    }

    /// Asks, with something in between, and compares byte by byte.
    fn ask(&mut self, between: impl FnOnce()) {
        let at = self.asked % self.questions.len();
        let question = self.questions[at].as_bytes();
        let (first, rest) = question.split_at(1 + self.asked * 7 % (question.len() - 1));
        self.asked += 1;
        self.stream.write_all(first).expect("sent");
        between();
        self.stream.write_all(rest).expect("sent");
        let expected = &self.answers[at];
        let mut bytes = vec![0; expected.len()];
        let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.stream.read_exact(&mut bytes).unwrap_or_else(|e| panic!("{e}: {}: {}", self.questions[at], told(&bytes)));
        assert!(bytes == *expected, "{}: {}", self.questions[at], told(&bytes));
    }

    /// Nothing more has come.
    fn leave(mut self) {
        self.stream.shutdown(Shutdown::Write).expect("half closed");
        let mut more = Vec::new();
        self.stream.read_to_end(&mut more).expect("an end");
        assert!(more.is_empty(), "{}", String::from_utf8_lossy(&more));
    }
}

#[test]
fn what_one_client_sends_changes_no_byte_of_anothers_answers() {
    let server = serve();
    let mut good = [Good::new(&server, &LINES), Good::new(&server, &HEADS)];
    let texts = hostile();
    // One is told to be slow: a byte for each question of the others.
    let slow = connect(&server);
    let slow_text = "query node001:node036\n".repeat(20).into_bytes();
    let mut open = Vec::new();
    for round in 0..6 {
        for (i, text) in texts.iter().enumerate() {
            // Whole, cut in the middle, and a byte short of its end.
            let cut = [text.len(), text.len() / 2, text.len() - 1][round % 3];
            let stream = connect(&server);
            for (g, good) in good.iter_mut().enumerate() {
                let part = if g == 0 { &text[..cut / 2] } else { &text[cut / 2..cut] };
                good.ask(|| {
                    // The server may have closed already, and that is right.
                    let _ = (&stream).write_all(part);
                    let at = (round * texts.len() + i) % slow_text.len();
                    let _ = (&slow).write_all(&slow_text[at..=at]);
                });
            }
            match i % 3 {
                0 => drop(stream),
                1 => drop(stream.shutdown(Shutdown::Both)),
                // Some stay, with what they were answered unread.
                _ => open.push(stream),
            }
        }
    }
    for good in good {
        good.leave();
    }
    assert!(server.metrics().dropped(Dropped::Malformed) > 20, "the hostile ones were heard");
}

#[test]
fn requests_that_arrive_together_are_answered_in_their_order_and_alone() {
    let server = serve();
    let (questions, answers) = (&LINES[..], quiet(&LINES));
    let mut clients: Vec<TcpStream> = (0..8).map(|_| connect(&server)).collect();
    // All of one client's lines with those of the others in between, in pieces of every length.
    let lines: Vec<usize> = (0..40).map(|i| i * 5 % questions.len()).collect();
    let text: String = lines.iter().map(|&i| questions[i]).collect();
    let mut sent = [0; 8];
    for piece in (1..).take_while(|piece| *piece < 400) {
        for (client, sent) in clients.iter_mut().zip(&mut sent) {
            let to = (*sent + piece % 61 + 1).min(text.len());
            client.write_all(&text.as_bytes()[*sent..to]).expect("sent");
            *sent = to;
        }
    }
    assert_eq!(sent, [text.len(); 8], "all is sent");
    let expected: Vec<u8> = lines.iter().flat_map(|&i| answers[i].clone()).collect();
    for mut client in clients {
        client.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        client.shutdown(Shutdown::Write).expect("half closed");
        let mut bytes = Vec::new();
        client.read_to_end(&mut bytes).expect("answers");
        assert!(bytes == expected, "{} bytes, expected {}", bytes.len(), expected.len());
    }
}

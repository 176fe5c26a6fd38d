//! What the machine can do at all: lines in, the same lines out, from the same
//! kind of event loop.

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use std::io::{ErrorKind, Read, Write};

/// Serves with one thread, which takes connections too.
pub(crate) fn single() {
    let mut listener = mio::net::TcpListener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    rustix::net::listen(&listener, i32::MAX).unwrap();
    println!("{}", listener.local_addr().unwrap());
    std::thread::spawn(|| {
        std::io::stdin().lines().for_each(drop);
        std::process::exit(0);
    });
    let mut poll = Poll::new().unwrap();
    let mut events = Events::with_capacity(1024);
    let mut streams: Vec<Option<(TcpStream, Vec<u8>)>> = Vec::new();
    let mut chunk = vec![0; 64 << 10];
    poll.registry().register(&mut listener, Token(usize::MAX), Interest::READABLE).unwrap();
    loop {
        poll.poll(&mut events, None).unwrap();
        for event in &events {
            if event.token() != Token(usize::MAX) {
                let stream = &mut streams[event.token().0];
                // Thousands come and go: descriptors are given back.
                if stream.as_mut().is_some_and(|open| !turn(open, &mut chunk)) {
                    *stream = None;
                }
                continue;
            }
            while let Ok((mut stream, _)) = listener.accept() {
                let interest = Interest::READABLE | Interest::WRITABLE;
                poll.registry().register(&mut stream, Token(streams.len()), interest).unwrap();
                streams.push(Some((stream, Vec::new())));
            }
        }
    }
}

/// Serves with so many threads until the input ends; connections go to them in turn.
pub(crate) fn serve(threads: usize) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap());
    let inboxes: Vec<_> = (0..threads)
        .map(|_| {
            let (send, receive) = std::sync::mpsc::channel();
            std::thread::spawn(move || run(&receive));
            send
        })
        .collect();
    std::thread::spawn(|| {
        std::io::stdin().lines().for_each(drop);
        std::process::exit(0);
    });
    for (i, stream) in listener.incoming().enumerate() {
        inboxes[i % threads].send(stream.unwrap()).unwrap();
    }
}

fn run(inbox: &std::sync::mpsc::Receiver<std::net::TcpStream>) {
    let mut poll = Poll::new().unwrap();
    let mut events = Events::with_capacity(1024);
    let mut streams: Vec<(TcpStream, Vec<u8>)> = Vec::new();
    let mut chunk = vec![0; 64 << 10];
    loop {
        poll.poll(&mut events, Some(std::time::Duration::from_millis(10))).unwrap();
        for event in &events {
            turn(&mut streams[event.token().0], &mut chunk);
        }
        for stream in inbox.try_iter() {
            stream.set_nonblocking(true).unwrap();
            stream.set_nodelay(true).unwrap();
            let mut stream = TcpStream::from_std(stream);
            let interest = Interest::READABLE | Interest::WRITABLE;
            poll.registry().register(&mut stream, Token(streams.len()), interest).unwrap();
            streams.push((stream, Vec::new()));
        }
    }
}

/// Sends back what has come; false where the client has gone.
fn turn((stream, left): &mut (TcpStream, Vec<u8>), chunk: &mut [u8]) -> bool {
    loop {
        while !left.is_empty() {
            match stream.write(left) {
                Ok(n) => drop(left.drain(..n)),
                Err(e) => return e.kind() == ErrorKind::WouldBlock,
            }
        }
        match stream.read(chunk) {
            Ok(0) => return false,
            Ok(n) => match stream.write(&chunk[..n]) {
                Ok(sent) => left.extend_from_slice(&chunk[sent..n]),
                Err(e) if e.kind() == ErrorKind::WouldBlock => left.extend_from_slice(&chunk[..n]),
                Err(_) => return false,
            },
            Err(e) => return e.kind() == ErrorKind::WouldBlock,
        }
    }
}

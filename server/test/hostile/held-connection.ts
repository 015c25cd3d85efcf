/** A way to a server on which what is sent can be held back, so that all of it arrives at once, in however many pieces it was written. */
import { connect } from "node:net";
import { Duplex } from "node:stream";

export interface HeldConnection {
  readonly stream: Duplex;
  hold(): void;
  release(): void;
}

export function openHeld(port: number): HeldConnection {
  const socket = connect(port, "127.0.0.1");
  let held: Buffer[] | undefined;
  const stream = new Duplex({
    read: () => socket.resume(),
    write: (chunk: Buffer, _encoding, done) => {
      if (held === undefined) socket.write(chunk);
      else held.push(chunk);
      done();
    },
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on("data", (chunk) => {
    if (!stream.push(chunk)) socket.pause();
  });
  socket.on("end", () => stream.push(null));
  socket.on("error", (error) => stream.destroy(error));
  return {
    stream,
    hold: () => {
      held = [];
    },
    release: () => {
      socket.write(Buffer.concat(held ?? []));
      held = undefined;
    },
  };
}

import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { exits, Exit } from './exits.ts';

/** Kinds of frames between ranks. `abort` carries the exit code that the sender ends with. */
export const frames = { hello: 1, welcome: 2, reduce: 3, scatter: 4, gather: 5, broadcast: 6, abort: 7 } as const;
export type FrameKind = (typeof frames)[keyof typeof frames];

interface Frame {
  kind: number;
  step: number;
  payload: Uint8Array;
}

const headerBytes = 9; // u32 payload length, u8 kind, u32 step
const maxPayloadBytes = 64 * 1024 * 1024; // eight million weights; anything longer is not ours
const flushTimeoutMs = 1_000;

/** Frames over one TCP connection, in order, each awaited by kind, step and a bound on the wait. */
export class Channel {
  readonly #socket: Socket;
  readonly #frames: Frame[] = [];
  #received: Buffer = Buffer.alloc(0);
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error.message));
    socket.on('close', () => this.#fail('connection closed'));
  }

  send(kind: FrameKind, step: number, payload: Uint8Array): void {
    const header = Buffer.alloc(headerBytes);
    header.writeUInt32LE(payload.byteLength, 0);
    header.writeUInt8(kind, 4);
    header.writeUInt32LE(step, 5);
    this.#socket.write(header);
    this.#socket.write(new Uint8Array(payload)); // a copy: the vectors are reused while the socket still sends
  }

  /** @throws Exit 69, when the peer is gone, silent for `timeoutMs` or out of step; the peer's own code after its abort */
  async receive(kind: FrameKind, step: number, timeoutMs: number): Promise<Uint8Array> {
    await this.#arrival(timeoutMs);
    const frame = this.#frames.shift();
    if (!frame) throw this.#failure ?? new Exit(exits.peerLost, `a peer was silent for ${String(timeoutMs)} ms`);
    if (frame.kind === frames.abort) throw new Exit(frame.step, 'a peer ended the run');
    if (frame.kind !== kind || frame.step !== step) {
      throw new Exit(exits.peerLost, `a peer is out of step: frame ${String(frame.kind)} of step ${String(frame.step)}, expected ${String(kind)} of ${String(step)}`);
    }
    return frame.payload;
  }

  async close(): Promise<void> {
    if (this.#socket.destroyed) return;
    const isSent = new Promise<void>((resolve) => this.#socket.end(resolve).once('close', resolve));
    await Promise.race([isSent, sleep(flushTimeoutMs)]);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  async #arrival(timeoutMs: number): Promise<void> {
    if (this.#frames.length > 0 || this.#failure) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }

  #take(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    while (this.#received.byteLength >= headerBytes) {
      const length = this.#received.readUInt32LE(0);
      if (length > maxPayloadBytes) return this.#fail('a frame is too long');
      if (this.#received.byteLength < headerBytes + length) return;
      const payload = new Uint8Array(this.#received.subarray(headerBytes, headerBytes + length));
      this.#frames.push({ kind: this.#received.readUInt8(4), step: this.#received.readUInt32LE(5), payload });
      this.#received = this.#received.subarray(headerBytes + length);
      this.#wake?.();
    }
  }

  #fail(why: string): void {
    this.#failure ??= new Exit(exits.peerLost, `a peer is lost: ${why}`);
    this.#socket.destroy();
    this.#wake?.();
  }
}

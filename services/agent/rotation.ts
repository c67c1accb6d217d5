/**
 * The node's credential while the agent runs. A new secret is stored before it is offered, and takes the place of the old
 * one on disk before it is used: a crash at any point leaves one that is in force.
 */
import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Answer } from '#services/fleet/model.ts';
import type { Log } from '#services/platform/log.ts';
import { readWhole, writeDurably } from './durable-file.ts';
import { credentialFile, type Credential } from './enrol.ts';

const secretBytes = 32;

const sha256 = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export class Rotation {
  readonly #dataDir: string;
  readonly #log: Log;
  #credential: Credential;
  #next: string | undefined;

  constructor(dataDir: string, credential: Credential, log: Log) {
    this.#dataDir = dataDir;
    this.#credential = credential;
    this.#log = log;
  }

  get credential(): Credential { return this.#credential; }
  version(): number { return this.#credential.credentialVersion; }
  /** SHA-256, in hex, of the secret that waits to be accepted */
  offer(): string | undefined { return this.#next === undefined ? undefined : sha256(this.#next); }

  /** @returns whether the control plane should hear of it at once */
  follow({ rotate, nextCredential }: Pick<Answer, 'rotate' | 'nextCredential'>): boolean {
    if (nextCredential && nextCredential.sha256 === this.offer()) return this.#take(nextCredential.version);
    if (!rotate || this.#next !== undefined) return false;
    this.#next = this.#stored() ?? this.#make();
    return true;
  }

  #take(version: number): boolean {
    const credential = { ...this.#credential, credentialVersion: version, secret: this.#next as string };
    writeDurably(credentialFile(this.#dataDir), credential);
    rmSync(this.#nextFile, { force: true });
    this.#credential = credential;
    this.#next = undefined;
    this.#log.info({ credentialVersion: version }, 'credential rotated');
    return true;
  }

  /** One that an earlier process stored may be accepted already: another would leave that one without its secret. */
  #stored(): string | undefined {
    const stored = readWhole(this.#nextFile) as { readonly of: number; readonly secret: string } | undefined;
    return stored?.of === this.version() ? stored.secret : undefined;
  }

  #make(): string {
    const secret = randomBytes(secretBytes).toString('base64url');
    writeDurably(this.#nextFile, { of: this.version(), secret });
    return secret;
  }

  get #nextFile(): string { return path.join(this.#dataDir, 'credential-next.json'); }
}

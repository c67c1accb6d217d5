/** A NATS server of its own for one test file, with the stack's configuration, on a free port. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAccount } from 'nkeys.js';
import { natsConfig } from '#infra/stack/nats.ts';
import { findFreePorts } from '#infra/stack/port-owner.ts';
import { resolveProgram } from '#infra/stack/program.ts';

export interface NatsServer {
  readonly url: string;
  readonly password: string;
  readonly issuerSeed: string;
  stop(): Promise<void>;
}

export async function startNatsServer(): Promise<NatsServer> {
  const dir = mkdtempSync(path.join(tmpdir(), 'muster-nats-'));
  const port = (await findFreePorts(1))[0] as number;
  const issuer = createAccount();
  const password = 'control-secret';
  const file = path.join(dir, 'nats.conf');
  writeFileSync(file, natsConfig({ port, storeDir: path.join(dir, 'js'), password, issuer: issuer.getPublicKey() }), { mode: 0o600 });
  const program = await resolveProgram('nats');
  const server = spawn(program.file, ['--config', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Server is ready')) resolve();
    });
    server.once('exit', () => reject(new Error(output)));
  });
  return {
    url: `nats://127.0.0.1:${port}`, password, issuerSeed: new TextDecoder().decode(issuer.getSeed()),
    stop: async () => {
      server.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parseDevices, readDevices } from '#services/agent/devices.ts';

it('devices of nvidia-smi have a model without spaces and their memory in bytes', () => {
  expect(parseDevices('0, NVIDIA H100 80GB HBM3, GPU-5c9a, 81559\n1, Tesla V100-SXM2-16GB, GPU-77, 16160\n')).toEqual([
    { index: 0, model: 'H100-80GB-HBM3', uuid: 'GPU-5c9a', memoryBytes: '85520809984', health: 'ok' },
    { index: 1, model: 'Tesla-V100-SXM2-16GB', uuid: 'GPU-77', memoryBytes: '16944988160', health: 'ok' },
  ]);
});

it('a device that doesn’t tell its memory has failed, and what is no device is none', () => {
  expect(parseDevices('0, NVIDIA A100, GPU-1, [Unknown Error]\nNo devices were found\n')).toMatchObject([{ index: 0, health: 'failed' }]);
});

it('the program’s own answer counts, declared devices win over it, and without either there are none', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'smi-'));
  const program = path.join(dir, 'nvidia-smi');
  writeFileSync(program, '#!/bin/sh\n[ "$1" = --query-gpu=index,name,uuid,memory.total ] && echo "3, NVIDIA L4, GPU-9, 23034"\n');
  chmodSync(program, 0o755);
  const declared = { node: 'n', virtualDevices: 0, virtualDeviceModel: 'virtual' };
  expect(await readDevices(declared, program)).toMatchObject([{ index: 3, model: 'L4' }]);
  expect(await readDevices({ ...declared, virtualDevices: 2 }, program)).toMatchObject([{ uuid: 'virtual-n-0' }, { uuid: 'virtual-n-1' }]);
  expect(await readDevices(declared, path.join(dir, 'absent'))).toEqual([]);
  rmSync(dir, { recursive: true });
});

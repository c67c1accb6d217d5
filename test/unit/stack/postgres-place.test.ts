import { expect, it } from 'vitest';
import { chooseUser, movedDir } from '#infra/stack/postgres-place.ts';

it('as root Postgres runs as a user that the machine already has', () => {
  const passwd = 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n';
  expect(chooseUser(passwd)).toEqual({ name: 'nobody', uid: 65534, gid: 65534 });
  expect(chooseUser(`${passwd}postgres:x:101:103::/var/lib/postgresql:/bin/bash\n`)).toEqual({ name: 'postgres', uid: 101, gid: 103 });
});

it('a machine without such a user is told what to do', () => {
  expect(() => chooseUser('root:x:0:0::/root:/bin/sh\n')).toThrow(/none of the users/);
});

it('two homes never share a moved Postgres', () => {
  expect(movedDir('/srv/a/.muster')).not.toBe(movedDir('/srv/b/.muster'));
  expect(movedDir('/srv/a/.muster')).toBe(movedDir('/srv/a/../a/.muster/'));
});

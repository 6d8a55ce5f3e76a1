import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Checkups, Health } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { desk, handler } from './support.ts'

/**
 * Whether this machine lets us make namespaces; where it does not, the tests say so by their names.
 */
const asRoot = process.getuid?.() === 0
const hasNamespaces =
  spawnSync(
    'unshare',
    [
      ...(asRoot ? [] : ['--user', '--map-root-user']),
      '--mount',
      '--pid',
      '--net',
      '--fork',
      '--mount-proc',
      'true',
    ],
    { stdio: 'ignore' },
  ).status === 0
const hasBubblewrap =
  spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', '/bin/true'], { stdio: 'ignore' })
    .status === 0
/** A container has no files of its own: its user reads the sources where they are. */
const isReadableByOthers = (folder: string): boolean =>
  (statSync(folder).mode & 0o1) !== 0 &&
  (dirname(folder) === folder || isReadableByOthers(dirname(folder)))
const SANDBOXES = [
  { sandbox: 'namespaces', offered: hasNamespaces },
  { sandbox: 'bubblewrap', offered: hasBubblewrap },
]
const files = {
  ...handler('tried', 'export default () => ({ uid: process.getuid(), pid: process.pid })'),
  '.env': 'HIDDEN=hidden-value-1\n',
}

const ALL = {
  environment: 'reached',
  dotenv: 'reached',
  keys: 'reached',
  write: 'reached',
  loopback: 'reached',
  child: 'reached',
}
const NONE = Object.fromEntries(Object.keys(ALL).map((name) => [name, 'stopped']))

describe.runIf(process.platform === 'linux')('the proof', () => {
  test('of a bare process: every attempt comes through, and the doctor says so', async () => {
    await using it = await desk(files, { config: { sandbox: 'process' } })
    const checkup = await it.kernel.current().registry(Checkups).get('handlers')?.(
      AbortSignal.timeout(60_000),
    )
    expect(checkup).toMatchObject({
      title: expect.stringContaining('not kept apart') as string,
      ok: true,
    })
    expect(it.kernel.current().registry(Health).get('handlers')?.().facts).toMatchObject({
      handlers: { sandbox: 'process', isolated: false, proof: ALL },
    })
  })

  test.each(SANDBOXES)(
    'of $sandbox, where this machine has it: nothing comes through, and handlers work',
    async ({ sandbox, offered }) => {
      if (!offered) return
      await using it = await desk(files, { config: { sandbox } })
      const called = await it.call('tried')
      expect(called).toMatchObject({
        status: 'success',
        output: { pid: expect.any(Number) as number },
      })
      if (asRoot)
        expect((called.output as { readonly uid: number }).uid).toBeGreaterThanOrEqual(64_000)
      const checkup = await it.kernel.current().registry(Checkups).get('handlers')?.(
        AbortSignal.timeout(60_000),
      )
      expect(checkup).toMatchObject({
        title: `Handlers: ${sandbox}, kept apart from the server`,
        ok: true,
      })
      expect(it.kernel.current().registry(Health).get('handlers')?.().facts).toMatchObject({
        handlers: { sandbox, isolated: true, proof: NONE },
      })
    },
  )

  test.runIf(asRoot && isReadableByOthers(import.meta.dirname))(
    'of a container: all but its own ports',
    async () => {
      await using it = await desk(files, { config: { sandbox: 'container' } })
      const checkup = await it.kernel.current().registry(Checkups).get('handlers')?.(
        AbortSignal.timeout(60_000),
      )
      expect(checkup, JSON.stringify(checkup)).toMatchObject({
        title: 'Handlers: container, kept apart from the server',
        ok: true,
      })
      expect(it.kernel.current().registry(Health).get('handlers')?.().facts).toMatchObject({
        handlers: { sandbox: 'container', proof: { ...NONE, loopback: 'reached' } },
      })
    },
  )
})

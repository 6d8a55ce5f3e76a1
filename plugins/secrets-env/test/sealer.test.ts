import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { sessionId, tenantId, unwrap } from '@amodal/sdk'
import { keyFromFile } from '../src/master-key.ts'
import { boot, folder, refusal } from './support.ts'

const at = (session: string, tenant = 'acme') => ({
  tenant: tenantId(tenant),
  session: sessionId(session),
})
const text = (failed: { readonly message: string }): string => failed.message

describe('a sealed text', () => {
  test('opens for its session, and says nothing of what it holds', async () => {
    const { sealer } = await boot({ env: {} })
    for (const plain of ['', 'a', 'ü€😀'.repeat(10_000)]) {
      const sealed = unwrap(sealer.seal(at('s1'), plain), text)
      expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+$/)
      expect(unwrap(sealer.open(at('s1'), sealed), text)).toBe(plain)
    }
    expect(sealer.seal(at('s1'), 'same')).not.toEqual(sealer.seal(at('s1'), 'same'))
  })

  test('opens for no other session and no other tenant', async () => {
    const { sealer } = await boot({ env: {} })
    const sealed = unwrap(sealer.seal(at('s1'), 'mine'), text)
    for (const other of [at('s2'), at('s1', 'bolt')])
      expect(sealer.open(other, sealed)).toMatchObject({ ok: false, error: { code: 'UNREADABLE' } })
  })

  test('has a key that no purpose has, and purposes have keys of their own', async () => {
    const env = { AMODAL_MASTER_KEY: randomBytes(32).toString('base64') }
    const [one, other] = [await boot({ env }), await boot({ env })]
    const key = (purpose: string) => unwrap(one.sealer.key(purpose), text)
    expect(key('links')).toHaveLength(32)
    expect(key('links')).toEqual(unwrap(other.sealer.key('links'), text))
    expect(key('links')).not.toEqual(key('others'))
    const stranger = await boot({ env: {} })
    expect(key('links')).not.toEqual(unwrap(stranger.sealer.key('links'), text))
  })

  test('that was changed anywhere does not open', async () => {
    const { sealer } = await boot({ env: {} })
    const sealed = unwrap(sealer.seal(at('s1'), 'twelve bytes'), text)
    const body = sealed.slice('v1.01234567.'.length)
    const bytes = Buffer.from(body, 'base64url')
    for (let byte = 0; byte < bytes.length; byte++) {
      const changed = Buffer.from(bytes)
      changed[byte] = (changed[byte] ?? 0) ^ 1
      expect(sealer.open(at('s1'), sealed.replace(body, changed.toString('base64url'))).ok).toBe(
        false,
      )
    }
    for (const wrong of ['', 'v1', 'v2.00000000.AAAA', sealed.slice(0, 20), `${sealed}AAAA`])
      expect(sealer.open(at('s1'), wrong)).toMatchObject({
        ok: false,
        error: { code: 'UNREADABLE' },
      })
  })

  test('opens after a restart with the same key, and names the mismatch with another', async () => {
    const key = randomBytes(32)
    const first = await boot({ env: { AMODAL_MASTER_KEY: key.toString('base64') } })
    const sealed = unwrap(first.sealer.seal(at('s1'), 'kept'), text)
    const second = await boot({ env: { AMODAL_MASTER_KEY: key.toString('hex') } })
    expect(second.sealer.open(at('s1'), sealed)).toEqual({ ok: true, value: 'kept' })
    const third = await boot({ env: { AMODAL_MASTER_KEY: randomBytes(32).toString('base64url') } })
    expect(third.sealer.open(at('s1'), sealed)).toMatchObject({
      ok: false,
      error: {
        code: 'UNREADABLE',
        message: expect.stringContaining('another master key') as string,
      },
    })
    expect(first.secrets.mask(key.toString('base64'))).toBe('[MASKED]')
  })
})

describe('the master key', () => {
  test("is made once in the agent's folder: its owner's alone, and not for git", async () => {
    const dir = await folder()
    const first = await boot({ dir, env: {} })
    const sealed = unwrap(first.sealer.seal(at('s1'), 'kept'), text)
    const file = join(dir, '.amodal/master-key')
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(dir, '.amodal/.gitignore'), 'utf8')).toBe('*\n')
    const second = await boot({ dir, env: {} })
    expect(second.sealer.open(at('s1'), sealed)).toEqual({ ok: true, value: 'kept' })
  })

  test('is one and the same for processes that start at the same time', async () => {
    const dir = await folder()
    const script = fileURLToPath(new URL('fixtures/key-id.ts', import.meta.url))
    const ids = await Promise.all(
      Array.from(
        { length: 4 },
        async () => (await promisify(execFile)(process.execPath, [script, dir])).stdout,
      ),
    )
    expect(new Set(ids).size).toBe(1)
    expect(ids[0]).toMatch(/^[0-9a-f]{8}$/)
  }, 30_000)

  test('given in the environment leaves no file', async () => {
    const dir = await folder()
    await boot({ dir, env: { AMODAL_MASTER_KEY: randomBytes(32).toString('hex') } })
    expect(existsSync(join(dir, '.amodal'))).toBe(false)
  })

  test('that is none stops the start, without being repeated', async () => {
    const told = await refusal({ env: { AMODAL_MASTER_KEY: 'not-a-key-at-all' } })
    expect(told).toContain('BAD_CONFIG')
    expect(told).not.toContain('not-a-key-at-all')
    expect(await refusal({ env: {}, masterKey: 'required' })).toMatch(
      /^ENV_NOT_SET: AMODAL_MASTER_KEY is not set/,
    )
    const dir = await folder()
    mkdirSync(join(dir, '.amodal'))
    writeFileSync(join(dir, '.amodal/master-key'), 'broken')
    expect(await refusal({ dir, env: {} })).toMatch(/^UNREADABLE: .*holds no key/)
  })

  test.skipIf(process.platform === 'win32')('that others may read is told of', async () => {
    const dir = await folder()
    await boot({ dir, env: {} })
    chmodSync(join(dir, '.amodal/master-key'), 0o644)
    expect(keyFromFile(join(dir, '.amodal/master-key'))).toMatchObject({
      ok: true,
      value: { exposed: true },
    })
  })
})

import { inspectionOf } from '@amodal/sdk/inspection'
import { realpathSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { boot, folder } from './support.ts'

describe('a reference', () => {
  test('gives the value of its variable; other text is itself', async () => {
    const { secrets } = await boot({ env: { TOKEN: 'abcdef-123' } })
    expect(secrets.resolve('env:TOKEN', 'here')).toEqual({ ok: true, value: 'abcdef-123' })
    expect(secrets.resolve('environment', 'here')).toEqual({ ok: true, value: 'environment' })
    expect(secrets.resolve('', 'here')).toEqual({ ok: true, value: '' })
  })

  test('to a variable that is not set, or set to nothing, names it and where it stands', async () => {
    const { secrets } = await boot({ env: { EMPTY: '' } })
    for (const [text, name] of [
      ['env:MISSING', 'MISSING'],
      ['env:EMPTY', 'EMPTY'],
      ['env:constructor', 'constructor'],
    ]) {
      expect(secrets.resolve(text ?? '', 'amodal.json:3')).toMatchObject({
        ok: false,
        error: { code: 'ENV_NOT_SET', message: `${name} is not set, and amodal.json:3 needs it` },
      })
    }
    expect(secrets.resolve('env:', 'amodal.json:3')).toMatchObject({
      ok: false,
      error: { code: 'ENV_NOT_SET' },
    })
    expect(secrets.resolve('env:no name', 'amodal.json:3')).toMatchObject({
      ok: false,
      error: { code: 'ENV_NOT_SET' },
    })
  })
})

describe('a variable', () => {
  test('of the process goes before one of .env', async () => {
    const dir = await folder()
    await writeFile(join(dir, '.env'), 'BOTH=file\nFILE=file only\n')
    const { secrets } = await boot({ dir, env: { BOTH: 'process' } })
    expect(secrets.get('BOTH')).toBe('process')
    expect(secrets.get('FILE')).toBe('file only')
    expect(secrets.get('NONE')).toBeUndefined()
  })

  test('is read from the process where none are given', async () => {
    const { secrets } = await boot({})
    expect(secrets.get('PATH')).toBe(process.env['PATH'])
  })

  test('that leaves the file is gone when the file is loaded again, under whatever name of its folder', async () => {
    const dir = await folder()
    await writeFile(join(dir, '.env'), 'OLD=1\nKEPT=1')
    const { secrets } = await boot({ dir: join(dir, '.'), env: {} })
    expect(
      secrets.load({ path: join(realpathSync(dir), '.env'), text: 'KEPT=2\nno assignment' }),
    ).toEqual([`${join(realpathSync(dir), '.env')}:2: this is no NAME=value`])
    expect(secrets.get('OLD')).toBeUndefined()
    expect(secrets.get('KEPT')).toBe('2')
  })

  test('given in config never shows in inspect', async () => {
    const { kernel } = await boot({ env: { PLAIN_WORD: 'hidden-value-1' } })
    expect(JSON.stringify(inspectionOf(kernel))).not.toContain('hidden-value-1')
  })
})

describe('what is masked', () => {
  test("is every value that was resolved or that a secret's name gave out, and no other", async () => {
    const { secrets } = await boot({
      env: {
        A: 'resolved-value',
        API_KEY: 'key-value-1',
        NAME: 'plain-value',
        SHORT: 'abc',
        UNASKED_TOKEN: 'never-asked-for',
      },
    })
    secrets.resolve('env:A', '')
    secrets.resolve('env:SHORT', '')
    for (const name of ['API_KEY', 'NAME']) secrets.get(name)
    expect(secrets.values()).toEqual(['resolved-value', 'key-value-1'])
    expect(secrets.mask('resolved-value and key-value-1, plain-value abc never-asked-for')).toBe(
      '[MASKED] and [MASKED], plain-value abc never-asked-for',
    )
  })

  test('is a value that was protected, until everybody who did has let go of it', async () => {
    const { secrets } = await boot({ env: {} })
    const first = secrets.protect('access-token-1')
    const second = secrets.protect('access-token-1')
    first()
    first()
    expect(secrets.mask('Bearer access-token-1')).toBe('Bearer [MASKED]')
    expect(secrets.values()).toEqual(['access-token-1'])
    second()
    expect(secrets.mask('Bearer access-token-1')).toBe('Bearer access-token-1')
    expect(secrets.values()).toEqual([])
  })

  test('is the password inside an address, also alone', async () => {
    const { secrets } = await boot({
      env: { DATABASE_URL: 'postgres://me:p%40ssw0rd@db.example/x' },
    })
    secrets.get('DATABASE_URL')
    expect(
      secrets.mask('password authentication failed: p@ssw0rd (p%40ssw0rd) at db.example'),
    ).toBe('password authentication failed: [MASKED] ([MASKED]) at db.example')
  })

  const secret = 'S3cr3t/with+"quotes" & späces'
  const bytes = Buffer.from(secret)
  test.each([
    ['plain', secret],
    ['in JSON', JSON.stringify({ value: secret })],
    ['in a URL', `https://x/?t=${encodeURIComponent(secret)}`],
    ['in a form', new URLSearchParams({ t: secret }).toString()],
    [
      'in a URL with small hex digits',
      encodeURIComponent(secret)
        .toLowerCase()
        .replace(/%[0-9a-f]{2}/g, (code) => code),
    ],
    ['in hex', bytes.toString('hex')],
    ['in capital hex', bytes.toString('hex').toUpperCase()],
    ['in base64', bytes.toString('base64')],
    ['in base64url', bytes.toString('base64url')],
    ['in base64 behind a user name', Buffer.from(`me:${secret}`).toString('base64')],
    ['in base64 behind another', Buffer.from(`you:${secret}!`).toString('base64')],
    ['in base64url behind a third', Buffer.from(`them1:${secret}??`).toString('base64url')],
    ['twice', `${secret}${secret}`],
  ])('is hidden %s', async (name, text) => {
    const { secrets } = await boot({
      env: { T_TOKEN: name.includes('small') ? secret.toLowerCase() : secret },
    })
    secrets.get('T_TOKEN')
    const masked = secrets.mask(text)
    expect(masked).toContain('[MASKED]')
    const told = [
      Buffer.from(masked, 'base64').toString('latin1'),
      masked,
      Buffer.from(masked, 'hex').toString(),
    ].join('\n')
    expect(told).not.toContain('S3cr3t')
    expect(told).not.toContain('späces')
  })

  test('is each line of a key over several lines', async () => {
    const lines = [
      '-----BEGIN PRIVATE KEY-----',
      'MIIEvQIBADANBgkqhkiG9w0BAQ',
      'c2hvcnQ',
      '-----END PRIVATE KEY-----',
    ]
    const { secrets } = await boot({ env: { SIGNING_KEY: lines.join('\n') } })
    secrets.get('SIGNING_KEY')
    expect(secrets.mask(`one line: ${lines[1]}`)).toBe('one line: [MASKED]')
    expect(secrets.mask(JSON.stringify(lines.join('\n')))).toBe('"[MASKED]"')
  })

  test('overlapping secrets leave nothing of either', async () => {
    const { secrets } = await boot({
      env: {
        A_TOKEN: 'abcdefgh',
        B_TOKEN: 'efghijkl',
        C_TOKEN: 'cdefghij-long',
        D_TOKEN: 'abcdefghijkl-longer',
      },
    })
    for (const name of ['A', 'B', 'C', 'D']) secrets.get(`${name}_TOKEN`)
    expect(secrets.mask('<abcdefghijkl>')).toBe('<[MASKED]>')
    expect(secrets.mask('<abcdefghijkl-longer>')).toBe('<[MASKED]>')
    expect(secrets.mask('<cdefghij-long>')).toBe('<[MASKED]>')
    expect(secrets.mask('<abcdefg>')).toBe('<abcdefg>')
  })

  test(
    'costs time by the length of the text, not by the number of secrets',
    { tags: 'speed' },
    async () => {
      const time = async (count: number): Promise<number> => {
        const env = Object.fromEntries(
          Array.from({ length: count }, (_, n) => [
            `T${n}_TOKEN`,
            `${'a'.repeat(40)}${n.toString(36).padStart(6, 'b')}`,
          ]),
        )
        const { secrets } = await boot({ env })
        for (const name of Object.keys(env)) secrets.get(name)
        const text = 'a'.repeat(300_000) // every place begins nearly every secret
        secrets.mask(text)
        const runs = Array.from({ length: 5 }, () => {
          const begun = performance.now()
          expect(secrets.mask(text)).toBe(text)
          return performance.now() - begun
        })
        return Math.min(...runs)
      }
      const some = await time(40)
      const many = await time(400)
      expect(many).toBeLessThan(some * 4 + 10)
    },
  )
})

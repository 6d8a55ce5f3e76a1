import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder, load, refused, secretsOf, told } from './support.ts'

describe('amodal.json', () => {
  it('needs a name only', async () => {
    const { manifest } = await load(await folder({ 'amodal.json': { name: 'a' } }))
    expect(manifest).toEqual({
      name: 'a',
      version: '0.0.0',
      models: {},
      limits: {},
      raw: { name: 'a' },
    })
  })

  it('may hold comments, trailing commas and a byte order mark', async () => {
    const bundle = await load(
      await folder({
        'amodal.json':
          '\uFEFF{\r\n  // who\r\n  "name": "a", /* and */\r\n  "userContext": "one\\ntwo",\r\n}',
      }),
    )
    expect(bundle.manifest).toMatchObject({ name: 'a', userContext: 'one\ntwo' })
    expect(bundle.issues).toEqual([])
  })

  it('reads models with their chain, and both spellings of the key as references', async () => {
    const dir = await folder({
      'amodal.json': {
        name: 'a',
        models: {
          main: {
            provider: 'p',
            model: 'm',
            baseUrl: 'http://127.0.0.1:1/v1',
            apiKey: 'env:A',
            temperature: 0.2,
            maxTokens: 9,
            headers: { 'x-team': 'ops' },
            fallback: { provider: 'q', model: 'n', credentials: { api_key: 'env:B' } },
          },
          simple: { provider: 's', model: 't' },
        },
      },
    })
    const { manifest, references } = await load(dir, {
      secrets: secretsOf({ A: 'secret-a', B: 'secret-b' }),
    })
    expect(manifest.models).toEqual({
      main: {
        provider: 'p',
        model: 'm',
        baseUrl: 'http://127.0.0.1:1/v1',
        apiKey: 'env:A',
        temperature: 0.2,
        maxTokens: 9,
        headers: { 'x-team': 'ops' },
        fallback: { provider: 'q', model: 'n', apiKey: 'env:B' },
      },
      simple: { provider: 's', model: 't' },
    })
    expect(references).toEqual([
      { name: 'A', set: true, where: 'amodal.json:8' },
      { name: 'B', set: true, where: 'amodal.json:18' },
    ])
  })

  it('reads settings that not every provider has, and names a value that is none with its line', async () => {
    const settings = {
      topP: 0.5,
      seed: 7,
      effort: 'low',
      thinking: 2_048,
      responseSchema: { type: 'object' },
      strictTools: true,
    }
    const { manifest, issues } = await load(
      await folder({
        'amodal.json': { name: 'a', models: { main: { provider: 'p', model: 'm', ...settings } } },
      }),
    )
    expect([manifest.models.main, issues]).toEqual([{ provider: 'p', model: 'm', ...settings }, []])
    const wrong = await refused(
      await folder({
        'amodal.json':
          '{"name": "a", "models": { "main": { "provider": "p", "model": "m",\n"topP": 2,\n"effort": "much",\n"thinking": 0 } } }',
      }),
    )
    expect(told(wrong.issues)).toEqual([
      expect.stringMatching(/^error amodal.json:2 `models.main.topP`/),
      expect.stringMatching(/^error amodal.json:3 `models.main.effort`/),
      expect.stringMatching(/^error amodal.json:4 `models.main.thinking`/),
    ])
  })

  it('takes `provider` and `model` at the top for `models.main`', async () => {
    const { manifest } = await load(
      await folder({ 'amodal.json': { name: 'a', provider: 'p', model: 'm' } }),
    )
    expect(manifest.models).toEqual({ main: { provider: 'p', model: 'm' } })
    expect(
      told(
        (await refused(await folder({ 'amodal.json': '{\n"name": "a",\n"provider": "p"\n}' })))
          .issues,
      ),
    ).toEqual(['error amodal.json:1 `model` is missing — add it: a text'])
  })

  it('reads the limits and names one that makes no sense', async () => {
    const limits = {
      maxTurns: 3,
      timeoutSeconds: 1.5,
      maxSessionTokens: 1000,
      maxToolCalls: 5,
      onMaxTurns: 'ask',
    }
    expect(
      (await load(await folder({ 'amodal.json': { name: 'a', limits } }))).manifest.limits,
    ).toEqual(limits)
    const { issues } = await refused(
      await folder({
        'amodal.json':
          '{\n"name": "a",\n"limits": {\n"maxTurns": "ten",\n"maxToolCalls": 0,\n"onMaxTurns": "asks" }\n}',
      }),
    )
    expect(told(issues)).toEqual([
      'error amodal.json:4 `limits.maxTurns` is a text, and a number is needed — write a number',
      'error amodal.json:5 `limits.maxToolCalls` is too small — write more than 0',
      'error amodal.json:6 `limits.onMaxTurns` cannot be "asks"; did you mean "ask"? — use one of: finish, ask',
    ])
  })

  it('takes limits in the spelling of older agents, each once', async () => {
    const limits = {
      max_tool_rounds: 5,
      token_budget: 100_000,
      max_history: 0,
      staleness_timeout: 45,
      max_tokens: 2_000,
      temperature: 0.3,
      on_limit: 'ask',
      maxRunCost: 0.5,
    }
    expect(
      (await load(await folder({ 'amodal.json': { name: 'a', limits } }))).manifest.limits,
    ).toEqual({
      maxTurns: 6,
      maxSessionTokens: 100_000,
      maxHistory: 0,
      stalenessSeconds: 45,
      maxTokens: 2_000,
      temperature: 0.3,
      onLimit: 'ask',
      maxRunCost: 0.5,
    })
    const { issues } = await refused(
      await folder({
        'amodal.json':
          '{\n"name": "a",\n"limits": {\n"max_history": -1,\n"token_budget": 9,\n"maxSessionTokens": 9 }\n}',
      }),
    )
    expect(told(issues)).toEqual([
      'error amodal.json:4 `limits.maxHistory` is too small — write at least 0',
      'error amodal.json:6 `limits.maxSessionTokens` and `limits.token_budget` are the same limit — keep one of them',
    ])
  })

  it('takes limits that stand at the top, in either spelling', async () => {
    const dir = await folder({
      'amodal.json':
        '{\n"name": "a",\n"max_tool_rounds": 5,\n"token_budget": 9000,\n"temperature": 0.2,\n"stalenessTimeout": 30\n}',
    })
    const { manifest, issues } = await load(dir)
    expect(manifest.limits).toEqual({
      maxTurns: 6,
      maxSessionTokens: 9_000,
      temperature: 0.2,
      stalenessSeconds: 30,
    })
    expect(issues).toEqual([])
  })

  it.each([
    [
      '"max_tool_rounds": 5,\n"limits": { "maxToolRounds": 4 }',
      'error amodal.json:3 `max_tool_rounds` and `limits.maxToolRounds` are the same limit — keep one of them',
    ],
    [
      '"x-y": 1,\n"max_history": -1',
      'error amodal.json:4 `limits.maxHistory` is too small — write at least 0',
    ],
    [
      '"instructions": "Be kind."',
      'error amodal.json:3 `instructions` is no field here — write them into agents/main/AGENT.md, or a short text into `userContext`',
    ],
    [
      '"web_search": true',
      'error amodal.json:3 `web_search` is no field here — configure a search in `webTools`',
    ],
    ...['1', '1.2', 'v1.2.3', 'latest', '1.2.3.4', '01.2.3', ''].map(
      (version): [string, string] => [
        `"version": "${version}"`,
        version === ''
          ? 'error amodal.json:3 `version` is empty — fill it, or remove it'
          : 'error amodal.json:3 `version` is no semantic version — write it as in 1.2.0, or 1.2.0-beta.1',
      ],
    ),
  ])('refuses %s', async (field, message) => {
    expect(
      told((await refused(await folder({ 'amodal.json': `{\n"name": "a",\n${field}\n}` }))).issues),
    ).toContain(message)
  })

  it.each(['1.2.3', '0.0.1-beta.1', '1.0.0-alpha+build.7'])(
    'takes the version %s',
    async (version) => {
      expect(
        (await load(await folder({ 'amodal.json': { name: 'a', version } }))).manifest.version,
      ).toBe(version)
    },
  )

  it.each([
    ['max_tool_rounds: 5', '`max_tool_rounds`', 'write it into `limits` of amodal.json'],
    ['temperature: 0.1', '`temperature`', 'write it into `limits`'],
    ['tools: [request]', '`tools`', 'say what may be used in roles/'],
    ['model: gpt-4o', '`model`', 'name it in `models.main`'],
  ])('refuses limits in the instructions, which nothing reads: %s', async (field, what, fix) => {
    const { issues, message } = await refused(
      await folder({ 'agents/main/AGENT.md': `---\nname: a\n${field}\n---\nText` }),
    )
    expect(issues).toMatchObject([
      {
        severity: 'error',
        file: 'agents/main/AGENT.md',
        line: 3,
        message: `${what} is not read in the instructions of the main agent`,
        fix: expect.stringContaining(fix) as string,
      },
    ])
    expect(message).toContain('agents/main/AGENT.md:3')
  })

  it('refuses a strict agent that does not say how many rounds of tools a message may take', async () => {
    const { issues } = await refused(
      await folder({ 'amodal.json': '{\n"name": "a",\n"strict": true\n}' }),
    )
    expect(told(issues)).toEqual([
      'error amodal.json:3 an agent that is `strict` needs `limits.max_tool_rounds` — write how many rounds of tools a message may take, as in "limits": { "max_tool_rounds": 5 }',
    ])
    expect(
      (
        await load(
          await folder({
            'amodal.json': {
              name: 'a',
              strict: true,
              limits: { max_tool_rounds: 3 },
            },
          }),
        )
      ).manifest.limits,
    ).toEqual({ maxTurns: 4 })
  })

  it('reads what it says of results of tools', async () => {
    const tools = { web: false, resultPersistence: { 'crm__*': 'ephemeral' }, private: ['look'] }
    expect(
      (await load(await folder({ 'amodal.json': { name: 'a', tools } }))).manifest,
    ).toMatchObject({ resultPersistence: { 'crm__*': 'ephemeral' }, privateTools: ['look'] })
    const { issues } = await refused(
      await folder({
        'amodal.json':
          '{\n"name": "a",\n"tools": { "resultPersistence": {\n"look": "forever" } }\n}',
      }),
    )
    expect(told(issues)).toEqual([
      'error amodal.json:4 `tools.resultPersistence.look` cannot be "forever" — use one of: ephemeral, persisted-preferred, persisted',
    ])
  })

  it('falls back to .amodal/config.json, and prefers amodal.json', async () => {
    const dir = await folder({
      '.amodal/config.json': { name: 'older', provider: 'p', model: 'm' },
    })
    expect((await load(dir)).manifest.name).toBe('test')
    await rm(join(dir, 'amodal.json'))
    expect((await load(dir)).manifest).toMatchObject({
      name: 'older',
      version: '0.0.0',
      models: { main: { provider: 'p', model: 'm' } },
    })
  })

  it('warns of unknown fields with the one that was meant, and of a key in the file', async () => {
    const { issues } = await load(
      await folder({
        'amodal.json':
          '{\n"name": "a",\n"userContent": "x",\n"zebra": 1,\n"models": { "main": { "provider": "p", "model": "m",\n"baseURL": "http://x",\n"apiKey": "sk-plain" },\n"mian": {} }\n}',
      }),
    )
    expect(told(issues)).toEqual([
      'warning amodal.json:3 `userContent` is not a known field; did you mean `userContext`? — rename it to `userContext`',
      'warning amodal.json:4 `zebra` is not a known field — remove it',
      'warning amodal.json:6 `models.main.baseURL` is not a known field; did you mean `baseUrl`? — rename it to `baseUrl`',
      'warning amodal.json:7 `models.main.apiKey` holds the key itself — put it into .env and write "env:NAME" here',
      'warning amodal.json:8 `models.mian` is not a known field; did you mean `main`? — rename it to `main`',
    ])
  })

  it('names the line of what is no JSON', async () => {
    const { code, message, issues } = await refused(
      await folder({ 'amodal.json': '{\n  "name": "a"\n  "version": "1"\n}' }),
    )
    expect(code).toBe('BAD_REPO')
    expect(message).toContain(
      'amodal.json:2  a comma is missing — put a comma at the end of this line',
    )
    expect(told(issues)).toHaveLength(1)
  })

  it.for([
    ['an empty file', ' \n', 1, 'the file is empty'],
    ['a list', '\n[]', 2, 'the file holds no object'],
    ['an open text', '{\n"name": "a', 2, 'a text is not closed'],
    ['an open object', '{\n"name": "a"', 2, 'an object is not closed'],
    ['a missing value', '{\n"name": }', 2, 'a value is missing'],
    ['a name without quotes', '{\nname: "a"}', 2, 'this is no JSON value'],
    [
      'deep nesting',
      `{ "name": "a", "x": ${'['.repeat(200)}${']'.repeat(200)} }`,
      1,
      'the JSON is nested too deeply',
    ],
    ['nesting without end', '['.repeat(50_000), 1, 'the JSON is nested too deeply'],
  ] as const)('refuses %s', async ([, text, line, message]) => {
    const { issues } = await refused(await folder({ 'amodal.json': text }))
    expect(issues).toContainEqual({
      severity: 'error',
      code: 'BAD_REPO',
      file: 'amodal.json',
      line,
      message,
      fix: expect.any(String),
    })
  })

  it('warns of a name that is written twice', async () => {
    const bundle = await load(await folder({ 'amodal.json': '{\n"name": "a",\n"name": "b"\n}' }))
    expect(bundle.manifest.name).toBe('b')
    expect(told(bundle.issues)).toEqual([
      'warning amodal.json:3 "name" is written twice; the later one counts — write it once',
    ])
  })

  it('refuses an address that is none', async () => {
    const { issues } = await refused(
      await folder({
        'amodal.json': { name: 'a', provider: 'x', model: 'm', baseUrl: 'localhost:11434' },
      }),
    )
    expect(told(issues)).toEqual([
      'error amodal.json:5 `baseUrl` is no http or https address — write it as in https://models.example.com/v1',
    ])
  })

  it('must be there, and be a file', async () => {
    const dir = await folder()
    await rm(join(dir, 'amodal.json'))
    expect(await refused(dir)).toMatchObject({
      code: 'NOT_FOUND',
      issues: [{ file: 'amodal.json', fix: expect.stringContaining('"name"') }],
    })
    await mkdir(join(dir, 'amodal.json'))
    expect(await refused(dir)).toMatchObject({ code: 'UNREADABLE' })
    expect(await refused(join(dir, 'nowhere'))).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('nowhere'),
    })
  })

  it('reports the problems of other files together with its own', async () => {
    const { issues } = await refused(await folder({ 'amodal.json': '{}', 'stores/a.json': '{}' }))
    expect(new Set(issues.map(({ file }) => file))).toEqual(
      new Set(['amodal.json', 'stores/a.json']),
    )
  })
})

describe('references to the environment', () => {
  it('refuse to load with variable, file and line where one is not set', async () => {
    const dir = await folder({
      'amodal.json':
        '{\n"name": "a",\n"mcp": { "servers": { "x": { "args": ["-y",\n"env:MISSING_ONE"],\n"env": { "T": "env:MISSING_TWO" } } } }\n}',
    })
    const failed = await refused(dir)
    expect(failed.code).toBe('ENV_NOT_SET')
    expect(told(failed.issues)).toEqual([
      'error amodal.json:4 the variable MISSING_ONE is not set (`mcp.servers.x.args[1]`) — set MISSING_ONE in the environment or in .env',
      'error amodal.json:5 the variable MISSING_TWO is not set (`mcp.servers.x.env.T`) — set MISSING_TWO in the environment or in .env',
    ])
  })

  it('are answered by the .env of the folder, whose values stay out of the bundle', async () => {
    const dir = await folder({
      'amodal.json': { name: 'a', stores: { postgresUrl: 'env:DB_URL' } },
      '.env': 'DB_URL=postgres://secret-value',
    })
    const bundle = await load(dir)
    expect(bundle.references).toEqual([{ name: 'DB_URL', set: true, where: 'amodal.json:4' }])
    expect(bundle.manifest.raw['stores']).toEqual({ postgresUrl: 'env:DB_URL' })
    expect(JSON.stringify(bundle)).not.toContain('secret-value')
  })

  it('are told from sentences, and refused where they name no variable', async () => {
    expect(
      (
        await load(
          await folder({ 'amodal.json': { name: 'a', userContext: 'env: production only' } }),
        )
      ).references,
    ).toEqual([])
    const { issues } = await refused(
      await folder({ 'amodal.json': { name: 'a', proactive: { webhook: 'env:MY-HOOK' } } }),
    )
    expect(told(issues.filter(({ severity }) => severity === 'error'))).toEqual([
      'error amodal.json:4 `proactive.webhook` names no variable — write env:NAME with letters, digits and _',
    ])
  })
})

import { spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { readTarball } from '@amodal/plugin-parts/tokens'
import { Commands, silentLogger, type CommandContext } from '@amodal/sdk'
import { describe, expect, test } from 'vitest'
import { keyOf, serving, temporaryFolder, type Serving } from './support/serving.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0
const NAME = 'amodal_tool_scaffold.tar.gz'
const LANGUAGES = ['typescript', 'python'] as const

/** Runs `amodal tool-scaffold …` in a folder. */
async function amodal(
  server: Serving,
  command: 'install' | 'new',
  dir: string,
  options: CommandContext['options'] = {},
  ...words: readonly string[]
) {
  const lines: string[] = []
  const errors: string[] = []
  const found = server.kernel.current().registry(Commands).get(`tool-scaffold ${command}`)
  const code = await found?.run({
    options: { ...(command === 'new' && { language: 'typescript' }), ...options },
    arguments: words,
    dir,
    env: {},
    log: silentLogger,
    start: () => Promise.resolve(server.kernel),
    signal: new AbortController().signal,
    print: (line) => void lines.push(line),
    write: (line) => void lines.push(line),
    fail: (line) => void errors.push(line),
    input: (async function* () {
      yield* []
    })(),
  })
  return { code, lines, error: errors.join('\n') }
}

/** Texts of the files below a folder. */
async function textsIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name))
  const texts = files.map(
    async (file) => [relative(folder, file), await readFile(file, 'utf8')] as const,
  )
  return Object.fromEntries((await Promise.all(texts)).toSorted())
}

async function archive(server: Serving): Promise<Readonly<Record<string, string>>> {
  const response = await fetch(`${server.url}/v1/acme/tool/${NAME}`, {
    headers: { authorization: `Bearer ${keyOf('acme')}` },
  })
  const read = await readTarball(new Uint8Array(await response.arrayBuffer()))
  if (!read.ok) throw new Error(read.error)
  const decoder = new TextDecoder()
  return Object.fromEntries(read.value.map(({ path, bytes }) => [path, decoder.decode(bytes)]))
}

describe('the archive', () => {
  test('has a tool of each language, and the same bytes each time', async () => {
    const server = await serving()
    const download = () =>
      fetch(`${server.url}/v1/acme/tool/${NAME}`, {
        headers: { authorization: `Bearer ${keyOf('acme')}` },
      })
    const [first, second] = await Promise.all([download(), download()])
    expect(first.status).toBe(200)
    expect(first.headers.get('content-type')).toBe('application/gzip')
    expect(Buffer.from(await first.arrayBuffer())).toEqual(Buffer.from(await second.arrayBuffer()))
    expect(Object.keys(await archive(server)).toSorted()).toEqual([
      'README.md',
      'python_tool/amodal_tool_scaffold/__init__.py',
      'python_tool/amodal_tool_scaffold/types.py',
      'python_tool/amodal_tool_scaffold/user_variables.py',
      'python_tool/tool.json',
      'python_tool/tool.py',
      'typescript_tool/amodal_tool_scaffold.ts',
      'typescript_tool/tool.json',
      'typescript_tool/tool.ts',
    ])
  })

  test('needs the scope, and is that of the own organization', async () => {
    const server = await serving()
    expect((await server.get(`/${NAME}`, 'chat')).status).toBe(403)
    expect((await server.get(`/${NAME}`, 'bolt')).status).toBe(404)
    const own = await fetch(`${server.url}/v1/bolt/tool/${NAME}`, {
      headers: { authorization: `Bearer ${keyOf('bolt')}` },
    })
    expect(own.status).toBe(200)
  })
})

describe.each(LANGUAGES.filter((one) => one === 'typescript' || hasPython))(
  'a tool in %s',
  (language) => {
    test('of the archive is published and invoked as it is', async () => {
      const server = await serving({ types: true })
      const name = `${language}_tool`
      server.repo.commit('acme', 'main', await archive(server))
      const id = await server.tool(name)
      expect(await server.publish(id)).toMatchObject({
        status: 201,
        body: { version: '1.0.0', language },
      })
      const [run] = await server.invoke(id, '1.0.0', { order: 8 })
      expect(run).toMatchObject({ output: { order: 8, status: 'shipped' }, error: null })
    })

    test('that is begun on the command line is that of the archive', async () => {
      const server = await serving()
      const clone = await temporaryFolder()
      const name = `${language}_tool`
      const begun = await amodal(server, 'new', clone, { language }, name)
      expect(begun).toMatchObject({ code: 0, error: '' })
      expect(begun.lines).toContain(`+ ${name}/tool.json added`)
      const files = Object.entries(await archive(server)).filter(([path]) => path.startsWith(name))
      expect(await textsIn(clone)).toEqual(Object.fromEntries(files.toSorted()))
      expect(await amodal(server, 'new', clone, { language }, name)).toMatchObject({
        code: 1,
        error: expect.stringContaining(
          `${join(clone, name)}: it is there already; choose another`,
        ) as string,
      })
    })
  },
)

test('the types of the scaffold are checked where a tool is published', async () => {
  const server = await serving({ types: true })
  const files = { ...(await archive(server)) }
  const file = 'typescript_tool/tool.ts'
  files[file] = (files[file] ?? '').replace('metadata.invocation_mode', 'metadata.mode')
  server.repo.commit('acme', 'main', files)
  const id = await server.tool('typescript_tool')
  expect(await server.publish(id)).toMatchObject({
    status: 422,
    body: { error: { message: expect.stringMatching(/^tool\.ts:\d+: .*'mode'/) as string } },
  })
})

test.runIf(hasPython)('variables of the user are those of the scaffold in Python', async () => {
  const server = await serving()
  const files = { ...(await archive(server)) }
  const file = 'python_tool/tool.py'
  files[file] = `${files[file] ?? ''}
run_order = run_tool

async def run_tool(tool_input, metadata, config, conversation, send_status_event, user_variables: UserVariables):
    found = await run_order(tool_input, metadata, config, conversation, send_status_event, user_variables)
    return {**found, "own": isinstance(user_variables, UserVariables), "id": user_variables.crm_id}
`
  server.repo.commit('acme', 'main', files)
  const id = await server.tool('python_tool')
  expect((await server.publish(id)).body).toMatchObject({
    error: { message: expect.stringContaining('the user has no variable crm_id') as string },
  })
  files[file] = files[file].replace('user_variables.crm_id', 'user_variables.get("crm_id", "")')
  server.repo.commit('acme', 'main', files)
  expect((await server.publish(id)).status).toBe(201)
  expect((await server.invoke(id, '1.0.0', { order: 1 }))[0]?.output).toMatchObject({ own: true })
})

describe('amodal tool-scaffold install', () => {
  async function cloneOf(server: Serving): Promise<string> {
    const clone = await temporaryFolder()
    await amodal(server, 'new', clone, {}, 'one')
    await amodal(server, 'new', clone, { language: 'python' }, 'two')
    await mkdir(join(clone, 'docs'))
    await writeFile(join(clone, 'docs/page.md'), 'A page')
    await writeFile(join(clone, 'README.md'), 'Tools')
    return clone
  }

  test('brings the scaffold of all tools up to date, and changes nothing else', async () => {
    const server = await serving()
    const clone = await cloneOf(server)
    const before = await textsIn(clone)
    const same = await amodal(server, 'install', clone)
    expect(same.lines).toEqual([
      '= one/amodal_tool_scaffold.ts unchanged',
      '= two/amodal_tool_scaffold/__init__.py unchanged',
      '= two/amodal_tool_scaffold/user_variables.py unchanged',
      '= two/amodal_tool_scaffold/types.py unchanged',
    ])
    await writeFile(join(clone, 'one/amodal_tool_scaffold.ts'), '// of an older release')
    await writeFile(join(clone, 'two/amodal_tool_scaffold/types.py'), '# of an older release')
    expect((await amodal(server, 'install', clone, { tool: 'one' })).lines).toEqual([
      '~ one/amodal_tool_scaffold.ts updated',
    ])
    expect((await amodal(server, 'install', clone, { all: true })).lines).toContain(
      '~ two/amodal_tool_scaffold/types.py updated',
    )
    expect(await textsIn(clone)).toEqual(before)
  })

  test.each([
    ['no JSON', '{', 'tool.json: it is no JSON'],
    ['another language', '{"language":"rust"}', 'set "language": "typescript" or "python"'],
  ])('names a tool.json with %s, and goes on with other tools', async (_name, text, message) => {
    const server = await serving()
    const clone = await cloneOf(server)
    await writeFile(join(clone, 'one/tool.json'), text)
    const done = await amodal(server, 'install', clone)
    expect(done.code).toBe(1)
    expect(done.error).toContain(join(clone, 'one/tool.json'))
    expect(done.error).toContain(message)
    expect(done.lines).toHaveLength(3)
  })

  test('writes through no link', async () => {
    const server = await serving()
    const clone = await cloneOf(server)
    const outside = await temporaryFolder()
    await writeFile(join(outside, 'file'), 'mine')
    await mkdir(join(clone, 'three'))
    await writeFile(join(clone, 'three/tool.json'), '{"language":"python"}')
    await symlink(outside, join(clone, 'three/amodal_tool_scaffold'))
    await mkdir(join(clone, 'four'))
    await writeFile(join(clone, 'four/tool.json'), '{"language":"typescript"}')
    await symlink(join(outside, 'file'), join(clone, 'four/amodal_tool_scaffold.ts'))
    await symlink(outside, join(clone, 'five'))
    for (const tool of ['three', 'four', 'five']) {
      const done = await amodal(server, 'install', clone, { tool })
      expect([done.code, done.lines]).toEqual([1, []])
      expect(done.error).toContain(join(clone, tool))
    }
    expect(await textsIn(outside)).toEqual({ file: 'mine' })
  })

  test('says what is wrong with its command line', async () => {
    const server = await serving()
    const clone = await cloneOf(server)
    const empty = await temporaryFolder()
    expect(await amodal(server, 'install', empty)).toMatchObject({
      code: 1,
      error: expect.stringContaining('no folder of it has a tool.json; name a clone') as string,
    })
    expect((await amodal(server, 'install', join(empty, 'none'))).code).toBe(1)
    expect(await amodal(server, 'install', clone, { tool: 'nothing' })).toMatchObject({
      code: 1,
      error: expect.stringContaining(join(clone, 'nothing/tool.json')) as string,
    })
    expect((await amodal(server, 'install', clone, { tool: '../one' })).code).toBe(1)
    expect((await amodal(server, 'install', clone, { tool: 'one', all: true })).code).toBe(2)
    expect((await amodal(server, 'install', clone, {}, 'one')).code).toBe(2)
    for (const words of [[], ['a', 'b'], ['Check-Order'], ['../x']])
      expect((await amodal(server, 'new', clone, {}, ...words)).code).toBe(2)
    expect((await amodal(server, 'new', clone, { language: 'rust' }, 'x')).code).toBe(2)
    expect((await amodal(server, 'new', join(empty, 'none'), {}, 'x')).code).toBe(1)
  })
})

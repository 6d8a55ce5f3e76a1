import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type ClientEvent } from '@amodal/sdk/client'
import { reply, startModelServer } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { openDoor } from '../security/support/door.ts'
import { Amodal, serve } from './server.ts'

const odd = join(import.meta.dirname, '../../plugins/connect-mcp/test/servers/odd.ts')

/**
 * An agent with one MCP server, which writes down what happens to it, and a model that calls its
 * tool `act`.
 */
async function place(...ways: readonly string[]) {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-e2e-mcp-'))
  const journal = join(dir, 'journal')
  const model = await startModelServer({
    script: reply.toolsThenText({ name: 'odd__act', arguments: { n: 41 } }, 'Done.'),
  })
  await mkdir(join(dir, 'connections/odd'), { recursive: true })
  await writeFile(
    join(dir, 'amodal.json'),
    JSON.stringify({
      name: 'with-mcp',
      models: { main: { provider: 'openai-compatible', model: 'scripted', baseUrl: model.url } },
    }),
  )
  await writeFile(
    join(dir, 'connections/odd/spec.json'),
    JSON.stringify({
      protocol: 'mcp',
      command: process.execPath,
      args: [odd, `journal=${journal}`, ...ways],
    }),
  )
  return {
    dir,
    async journal(word: string): Promise<readonly string[]> {
      const lines = (await readFile(journal, 'utf8').catch(() => '')).split('\n')
      return lines.flatMap((line) =>
        line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : [],
      )
    },
    async [Symbol.asyncDispose]() {
      await model.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 10_000; !(await holds());) {
    if (performance.now() > end) throw new Error('it did not become true')
    await new Promise((resolve) => {
      setTimeout(resolve, 25)
    })
  }
}

test('a call that was approved after the server was killed runs once, and no MCP server is left behind', async () => {
  await using agent = await place('stubborn')
  let asked
  {
    await using server = await serve(agent.dir)
    asked = await createClient({ url: server.url, credential: server.credential, tries: 2 }).ask({
      text: 'Act',
    })
    expect(asked.pending).toMatchObject([
      {
        pending_input_type: 'approval',
        pending_input_context: {
          tool: 'odd__act',
          connection_name: 'odd',
          method: 'CALL',
          endpoint: 'act',
          params: { n: 41 },
        },
      },
    ])
    await server.process.kill('SIGKILL')
  }
  const [first = ''] = await agent.journal('start')
  // although it ignores the end of its input, and SIGTERM
  await until(() => !isAlive(Number(first)))

  await using server = await serve(agent.dir)
  const client = createClient({ url: server.url, credential: server.credential, tries: 2 })
  const events: ClientEvent[] = []
  const rest = (async () => {
    for await (const event of client.follow(asked.session)) events.push(event)
  })()
  await client.answer(asked.session, { id: asked.pending[0]?.id ?? '', approved: true })
  await rest
  expect(events.filter(({ type }) => type === 'tool_call_result')).toMatchObject([
    { status: 'success', result: 'act did {"n":41}' },
  ])
  expect(await agent.journal('call')).toEqual(['act {"n":41}'])
  expect(await (await fetch(`${server.url}/inspect/context`)).json()).toMatchObject({
    mcpServers: [{ name: 'odd', status: 'ready', toolCount: 12, error: null }],
  })

  expect((await server.process.kill('SIGTERM')).code).toBe(0)
  for (const pid of await agent.journal('start')) expect(isAlive(Number(pid))).toBe(false)
})

test('`amodal inspect` shows the tools of MCP servers, and `amodal validate` starts them, unless it is told not to', async () => {
  await using agent = await place()
  expect(await new Amodal(['validate', '--skip-test', '--dir', agent.dir]).ended).toMatchObject({
    code: 0,
  })
  expect(await agent.journal('start')).toEqual([])
  expect(await new Amodal(['validate', '--dir', agent.dir]).ended).toMatchObject({ code: 0 })
  expect(await agent.journal('start')).not.toEqual([])
  const inspected = await new Amodal(['inspect', '--dir', agent.dir]).ended
  expect(inspected.out + inspected.err).toContain('odd__act')
  expect(inspected.code).toBe(0)
  for (const pid of await agent.journal('start')) expect(isAlive(Number(pid))).toBe(false)
})

test('a server that hangs is told of at the start and by validate, with what it wrote to its standard error', async () => {
  const hangs = {
    protocol: 'mcp',
    command: process.execPath,
    args: [
      '-e',
      'console.error("unable to get local issuer certificate"); setInterval(() => undefined, 1_000)',
    ],
  }
  await using door = await openDoor({
    script: reply.text('hello'),
    manifest: { plugins: [['connect-mcp', { connectMs: 8_000 }]] },
    files: { 'connections/npx/spec.json': hangs },
  })
  await expect
    .poll(() => door.log.filter((line) => line.includes('mcp.slow')).join())
    .toMatch(/"npx".*unable to get local issuer certificate/)
  const { code, out, err } = await new Amodal(['validate', '--dir', door.dir]).ended
  expect({ code, said: out + err }).toEqual({
    code: 1,
    said: expect.stringMatching(
      /"npx" (?:has not answered within \d+ s|does not start).*unable to get local issuer certificate/,
    ),
  })
})

// `amodal mcp`, started as MCP clients start it: the agent of a folder, over stdin and stdout.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'

const BIN = join(import.meta.dirname, '../../cli/dist/bin.js')

test.each([
  ['2025-11-25', 'legacy'],
  ['2026-07-28', 'auto'],
] as const)('the agent of a folder answers over stdio, on %s', async (_revision, mode) => {
  const dir = await mkdtemp(join(tmpdir(), 'amodal-mcp-server-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  await mkdir(join(dir, 'knowledge'))
  await writeFile(join(dir, 'amodal.json'), JSON.stringify({ name: 'shop' }))
  await writeFile(join(dir, 'knowledge/returns.md'), '# Returns\n\nWithin 30 days.\n')
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode, probe: { timeoutMs: 60_000 } } },
  )
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'mcp', '--dir', dir],
      stderr: 'inherit',
    }),
    { timeout: 120_000 },
  )
  onTestFinished(() => client.close())
  expect(client.getServerVersion()?.name).toBe('shop')
  const { resources } = await client.listResources()
  expect(resources).toMatchObject([{ uri: 'amodal://knowledge/returns' }])
  const asked = await client.callTool(
    { name: 'ask', arguments: { message: 'What can you do?' } },
    { timeout: 120_000 },
  )
  expect(asked.structuredContent).toMatchObject({ status: 'complete' })
  expect(JSON.stringify(asked.content)).toContain('Demo model')
})

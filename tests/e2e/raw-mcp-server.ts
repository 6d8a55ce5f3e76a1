// An MCP server that writes its results as the texts that it is given, digit for digit, and notes
// the lines that it receives as they come.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [journal = '', description = 'Returns a record.', record = '{}'] = process.argv.slice(2)

const send = (id: number | string, result: string): void =>
  void process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`)

const schema = { type: 'object', properties: { id: { type: 'integer' } } }
const tools = [
  { name: 'read', description, inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: 'change', description: 'Changes a record.', inputSchema: schema },
]

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line) as {
    readonly id?: number | string
    readonly method?: string
    readonly params?: { readonly protocolVersion?: string }
  }
  if (id === undefined) continue
  if (method === 'initialize')
    send(
      id,
      JSON.stringify({
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'raw', version: '1.0.0' },
      }),
    )
  else if (method === 'tools/list') send(id, JSON.stringify({ tools }))
  else if (method === 'tools/call') {
    appendFileSync(journal, `${line}\n`)
    send(
      id,
      `{"content":[{"type":"text","text":${JSON.stringify(record)}}],"structuredContent":${record}}`,
    )
  } else send(id, '{}')
}

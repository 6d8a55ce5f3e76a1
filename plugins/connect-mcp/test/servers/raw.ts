// A server of the older protocol on stdio whose results are the JSON of a file, by their methods:
// no library sees them on their way out.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const results = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Readonly<
  Record<string, unknown>
>

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method = '' } = JSON.parse(line) as { readonly id?: number; readonly method?: string }
  if (id === undefined) return
  const answer = Object.hasOwn(results, method)
    ? { result: results[method] }
    : { error: { code: -32601, message: 'Method not found' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
})

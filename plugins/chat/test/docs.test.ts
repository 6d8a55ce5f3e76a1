import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { served } from './server.ts'

test('the example of the README runs', async () => {
  await using server = await served()
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8')
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  const code = example.replace('http://127.0.0.1:3847', server.url)
  expect(code).toContain(server.url)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module-typescript', '--eval', code],
    { cwd: join(import.meta.dirname, '..'), timeout: 60_000 },
  )
  expect(stdout).toBe('Which incidents are open?')
})

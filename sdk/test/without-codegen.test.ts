import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = `
  import { definePlugin, Kernel, use } from '@amodal/sdk'
  import { inspectionOf } from '@amodal/sdk/inspection'
  const plugin = definePlugin({ name: 'a', version: '1.0.0', setup: ({ hooks }) => hooks.event.emit.tap((event) => ({ ...event, content: 'tapped' })) })
  const made = await Kernel.create([use(plugin)])
  const event = made.value.current().hooks.event.emit.call({ type: 'text_delta', content: 'x' }, {})
  console.log(JSON.stringify({ runner: inspectionOf(made.value).runner, content: event.value.content }))
  await made.value.close()
`

async function run(...flags: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, '--input-type=module', '--eval', program],
    { cwd: new URL('../', import.meta.url), timeout: 60_000 },
  )
  return JSON.parse(stdout)
}

test('where code generation is refused, taps run without it', async () => {
  expect(await run('--disallow-code-generation-from-strings')).toEqual({
    runner: 'plain',
    content: 'tapped',
  })
  expect(await run()).toEqual({ runner: 'tapable', content: 'tapped' })
})

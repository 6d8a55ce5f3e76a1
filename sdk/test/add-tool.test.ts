import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  definePlugin,
  defineTool,
  explain,
  Kernel,
  unwrap,
  use,
  type Plugin,
} from '../src/index.ts'
import { inspectionOf } from '../src/inspection/index.ts'

const rolling = (name: string): Plugin =>
  definePlugin({
    name,
    version: '1.0.0',
    setup({ addTool }) {
      addTool(
        defineTool({
          name: 'roll',
          description: 'Rolls a die.',
          readOnly: true,
          input: z.object({}),
          execute: () => Promise.resolve({ status: 'success', output: 4 }),
        }),
      )
    },
  })

test('a tool is one line, and is known by its name', async () => {
  const kernel = unwrap(await Kernel.create([use(rolling('dice'))], { boots: [] }), explain)
  expect(inspectionOf(kernel).registries).toContainEqual({
    id: 'tools',
    entries: [{ key: 'roll', plugin: 'dice' }],
  })
  await kernel.close()
})

test('two plugins with a tool of one name are refused, and both are named', async () => {
  const created = await Kernel.create([use(rolling('dice')), use(rolling('cubes'))], { boots: [] })
  expect(created.ok ? '' : explain(created.error)).toMatch(/roll[\s\S]*dice|dice[\s\S]*roll/)
})

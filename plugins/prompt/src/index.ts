import { Commands, definePlugin, PromptCompiler } from '@amodal/sdk'
import { z } from 'zod'
import { promptCompiler } from './compiler.ts'
import { contextWindow } from './context-window.ts'
import { inspectCommand } from './inspect.ts'

/** Compiles what the model sees, and shows it with `amodal inspect`. */
export const prompt = definePlugin({
  name: 'prompt',
  version: '0.1.0',
  provides: [PromptCompiler],
  config: z.object({
    window: z
      .int()
      .positive()
      .default(200_000)
      .describe('Tokens of the context window where the model is not known'),
    windows: z
      .record(z.string(), z.int().positive())
      .default({})
      .describe("Tokens by how a model's name begins"),
  }),
  setup({ config, provide, add }) {
    provide(PromptCompiler, () =>
      promptCompiler((bundle) => contextWindow(bundle, config.windows, config.window)),
    )
    add(Commands, 'inspect', inspectCommand)
  },
})

export default prompt

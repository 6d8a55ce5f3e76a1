import { definePlugin, Tools, Widgets } from '@amodal/sdk'
import { z } from 'zod'
import { askUser } from './ask-user.ts'
import { present } from './present.ts'
import { stopExecution } from './stop-execution.ts'
import { WIDGETS } from './widgets.ts'

/** Shows widgets, ends a turn on purpose, and asks the person. */
export const toolsPresent = definePlugin({
  name: 'tools-present',
  version: '0.1.0',
  provides: [Tools, Widgets],
  config: z.object({
    /** Seconds until a question of `ask_user` expires; 0: never. */
    questionSeconds: z.number().int().min(0).default(0),
  }),
  setup({ config, add, generation }) {
    for (const widget of WIDGETS) add(Widgets, widget.type, widget)
    add(Tools, 'present', {
      tools: () => [
        present(generation().registry(Widgets)),
        stopExecution,
        askUser(config.questionSeconds),
      ],
    })
  },
})

export default toolsPresent

import { Commands, definePlugin } from '@amodal/sdk'
import { chatCommand } from './chat-command.ts'

/**
 * A conversation with the agent in a terminal: the command `chat`, as an interface with Ink, as
 * plain lines, or as JSON.
 */
export const terminal = definePlugin({
  name: 'terminal',
  version: '0.1.0',
  setup({ add }) {
    add(Commands, 'chat', chatCommand)
  },
})

export default terminal

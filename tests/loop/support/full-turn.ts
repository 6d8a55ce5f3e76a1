import type { TestAgentOptions } from './agent.ts'
import { reads, writes } from './tools.ts'

/** A turn that goes through everything: a read, an approval that a tap gives, an answer. */
export const full: TestAgentOptions = {
  script: ({ results }) =>
    Object.keys(results).length === 0
      ? {
          text: 'wait',
          calls: [
            { name: 'look', id: 'l' },
            { name: 'write', id: 'w' },
          ],
        }
      : { text: 'done' },
  tools: [reads('look'), writes('write')],
}

import guardLinks from '@amodal/plugin-guard-links'
import guardOutput from '@amodal/plugin-guard-output'
import loop from '@amodal/plugin-loop'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
import secretsEnv from '@amodal/plugin-secrets-env'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import { use, type Entry } from '@amodal/sdk'
import { frontDesk } from './front-desk.ts'

/**
 * The whole of it: no server, no database, no files, and no tool but ours. The order is worked out.
 */
export const list = (env: Readonly<Record<string, string | undefined>>): readonly Entry[] => [
  use(frontDesk), // who the agent is, and its one tool
  use(loop),
  use(prompt),
  use(sessionsMemory), // runs turns, says what the model is sent, keeps what was said
  use(modelOpenaiCompatible),
  use(outbound), // asks a model, by the one way out
  use(secretsEnv, { env }), // knows the keys, and takes them out of whatever leaves
  use(guardOutput, {}, { trusted: true }), // looks at all that leaves, after everybody else
  use(guardLinks, {}, { trusted: true }), // nothing in it loads by itself
]

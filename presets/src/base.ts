import { use, type Entry } from '@amodal/sdk'
import compaction from '@amodal/plugin-compaction'
import connectMcp from '@amodal/plugin-connect-mcp'
import connectRest from '@amodal/plugin-connect-rest'
import connections from '@amodal/plugin-connections'
import knowledge from '@amodal/plugin-knowledge'
import loop from '@amodal/plugin-loop'
import loopGuard from '@amodal/plugin-loop-guard'
import modelCost from '@amodal/plugin-model-cost'
import modelFailover from '@amodal/plugin-model-failover'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
import secretsEnv from '@amodal/plugin-secrets-env'
import skills from '@amodal/plugin-skills'
import stores from '@amodal/plugin-stores'
import subagents from '@amodal/plugin-subagents'
import toolsCustom from '@amodal/plugin-tools-custom'
import toolsPresent from '@amodal/plugin-tools-present'
import { guards } from './guards.ts'

/** What every preset has: secrets, the way out, the prompt, the agent's own parts, its models and tools, and the guards. */
export const base: readonly Entry[] = [
  use(secretsEnv), use(outbound), use(loop),
  use(prompt), use(skills), use(knowledge), use(compaction), use(loopGuard),
  use(modelOpenaiCompatible), use(modelFailover), use(modelCost),
  use(stores), use(toolsPresent), use(toolsCustom), use(connections), use(connectRest), use(connectMcp), use(subagents),
  ...guards,
]

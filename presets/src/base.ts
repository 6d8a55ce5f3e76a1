import { use, type Entry } from '@amodal/sdk'
import bootstrapFiles from '@amodal/plugin-bootstrap-files'
import compaction from '@amodal/plugin-compaction'
import connectMcp from '@amodal/plugin-connect-mcp'
import connectRest from '@amodal/plugin-connect-rest'
import connections from '@amodal/plugin-connections'
import logActivity from '@amodal/plugin-log-activity'
import loop from '@amodal/plugin-loop'
import loopGuard from '@amodal/plugin-loop-guard'
import liveState from '@amodal/plugin-live-state'
import memory from '@amodal/plugin-memory'
import modelAnthropic from '@amodal/plugin-model-anthropic'
import modelAzure from '@amodal/plugin-model-azure'
import modelBedrock from '@amodal/plugin-model-bedrock'
import modelCost from '@amodal/plugin-model-cost'
import modelFailover from '@amodal/plugin-model-failover'
import modelGoogle from '@amodal/plugin-model-google'
import modelOpenai from '@amodal/plugin-model-openai'
import modelOpenaiCompatible from '@amodal/plugin-model-openai-compatible'
import modelVertex from '@amodal/plugin-model-vertex'
import pages from '@amodal/plugin-pages'
import panels from '@amodal/plugin-panels'
import parts from '@amodal/plugin-parts'
import outbound from '@amodal/plugin-outbound'
import prompt from '@amodal/plugin-prompt'
import search from '@amodal/plugin-search'
import secretsEnv from '@amodal/plugin-secrets-env'
import skills from '@amodal/plugin-skills'
import stores from '@amodal/plugin-stores'
import structuredOutput from '@amodal/plugin-structured-output'
import subagents from '@amodal/plugin-subagents'
import toolsPresent from '@amodal/plugin-tools-present'
import { guards } from './guards.ts'

/**
 * What every preset has: secrets, the way out, the prompt, the agent's own parts, its models and
 * tools, and the guards. Tools that are code are listed by each preset.
 */
export const base: readonly Entry[] = [
  use(secretsEnv),
  use(outbound),
  use(parts),
  use(loop),
  use(logActivity),
  use(prompt),
  use(bootstrapFiles),
  use(skills),
  use(memory),
  use(liveState),
  use(panels),
  use(compaction),
  use(loopGuard),
  use(structuredOutput),
  use(modelAnthropic),
  use(modelOpenai),
  use(modelGoogle),
  use(modelOpenaiCompatible),
  use(modelAzure),
  use(modelBedrock),
  use(modelVertex),
  use(modelFailover),
  use(modelCost),
  use(stores),
  use(search),
  use(pages),
  use(toolsPresent),
  use(connections),
  use(connectRest),
  use(connectMcp),
  use(subagents),
  ...guards,
]

import { use } from '@amodal/sdk'
import assets from '@amodal/plugin-assets'
import automations from '@amodal/plugin-automations'
import feedback from '@amodal/plugin-feedback'
import knowledge from '@amodal/plugin-knowledge'
import evals from '@amodal/plugin-evals'
import experiments from '@amodal/plugin-experiments'
import notify from '@amodal/plugin-notify'
import queueMemory from '@amodal/plugin-queue-memory'
import sessionsMemory from '@amodal/plugin-sessions-memory'
import storesMemory from '@amodal/plugin-stores-memory'
import telemetryOtel from '@amodal/plugin-telemetry-otel'
import toolsCustom from '@amodal/plugin-tools-custom'
import trace from '@amodal/plugin-trace'
import usage from '@amodal/plugin-usage'
import workspace from '@amodal/plugin-workspace'
import { base } from './base.ts'
import { definePreset } from './define-preset.ts'
import { protection } from './guards.ts'

/** For `createAgent`: no server, everything in memory, files given in code or from a folder. */
export const embedded = definePreset(
  'embedded',
  [
    ...base,
    use(toolsCustom),
    use(workspace),
    use(knowledge),
    use(queueMemory),
    use(sessionsMemory),
    use(storesMemory),
    use(assets),
    use(automations),
    use(evals),
    use(experiments),
    use(feedback),
    use(telemetryOtel),
    use(trace),
    use(notify),
    use(usage),
  ],
  protection,
)
export default embedded

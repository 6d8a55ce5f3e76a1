import { defineRuntimeEvent } from '@amodal/sdk'
import { z } from 'zod'

export const ExperimentDecided = defineRuntimeEvent({
  type: 'experiments.decided',
  about: 'An experiment was stopped, or one of its variants was promoted.',
  data: z.object({ experiment: z.string(), promoted: z.string() }),
})

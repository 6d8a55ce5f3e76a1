import { defineRuntimeEvent } from '@amodal/sdk'
import { z } from 'zod'

export const FeedbackGiven = defineRuntimeEvent({
  type: 'feedback.given',
  about: 'Somebody has rated an answer, or taken their rating back (`none`).',
  data: z.object({
    session: z.string(),
    run: z.string(),
    rating: z.enum(['up', 'down', 'none']),
  }),
})

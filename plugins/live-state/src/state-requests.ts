import { jsonValue } from '@amodal/sdk/data'
import { z } from 'zod'

export const changesShape = z.record(z.string(), jsonValue)

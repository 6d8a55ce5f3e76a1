import { registry, type Answerer } from '@amodal/sdk'

/**
 * Says who may answer in place of an asker that is no person, such as an automation: they count as
 * the asker.
 *
 * @param answerer who answers, their roles, and whose run waits
 */
export type StandIn = (answerer: Answerer) => boolean
/** One stand-in of a plugin, under its name. */
export const StandIns = registry<StandIn>('stand-ins')

import { startModelServer, type ChatCompletionRequest } from '@amodal/sdk/testing'
import { startOutside, type Held, type Outside } from './outside.ts'
import { askedOf, isTooLong, NOTER, notedMarker, notesOn, replyTo, type Stall } from './plan.ts'

/** What stays up whatever dies: the model and the outside server. */
export interface World {
  readonly outside: Outside
  readonly modelUrl: string
  /** The model stops short, once, in a reply to this message. */
  stall(marker: string, stall: Stall): { readonly arrived: Promise<void> }
  /** The same for the notes on a conversation that has this message in it. */
  stallNotes(marker: string, pieces: number): { readonly arrived: Promise<void> }
  /** What the model was last asked in the turn of this message. */
  lastAsked(marker: string): ChatCompletionRequest | undefined
  /** The model takes the request for this reply, once, and says nothing until it is released. */
  holdModel(marker: string, reply: number): Held
  close(): Promise<void>
}

/**
 * @param pace ms between two pieces of a model's reply; all of them at once where it is left out
 */
export async function startWorld({ pace }: { readonly pace?: number } = {}): Promise<World> {
  const stalls = new Map<string, { readonly stall: Stall; readonly arrived: () => void }>()
  const holds = new Map<
    string,
    { readonly reply: number; readonly arrived: () => void; readonly released: Promise<void> }
  >()
  const noting = new Map<string, { readonly pieces: number; readonly arrived: () => void }>()
  const asking = new Map<string, ChatCompletionRequest>()
  const outside = await startOutside()
  const model = await startModelServer({
    async script(request, n) {
      if (request.model === NOTER) {
        const marker = notedMarker(request)
        const stall = noting.get(marker)
        noting.delete(marker)
        stall?.arrived()
        return notesOn(request, { pace, stall: stall && { reply: 1, pieces: stall.pieces } })
      }
      const asked = askedOf(request)
      const {
        plan: { marker },
        step,
      } = asked
      asking.set(marker, request)
      const hold = holds.get(marker)
      if (hold?.reply === step) {
        holds.delete(marker)
        hold.arrived()
        await hold.released
      }
      const stalled = stalls.get(marker)
      // A refusal is whole at once: the reply that can stop short comes after it.
      if (stalled?.stall.reply !== step || isTooLong(asked)) return replyTo(asked, n, { pace })
      stalls.delete(marker)
      stalled.arrived()
      return replyTo(asked, n, { pace, stall: stalled.stall })
    },
  })
  return {
    outside,
    modelUrl: model.url,
    stall(marker, stall) {
      const arrived = Promise.withResolvers<void>()
      stalls.set(marker, { stall, arrived: arrived.resolve })
      return { arrived: arrived.promise }
    },
    stallNotes(marker, pieces) {
      const arrived = Promise.withResolvers<void>()
      noting.set(marker, { pieces, arrived: arrived.resolve })
      return { arrived: arrived.promise }
    },
    lastAsked: (marker) => asking.get(marker),
    holdModel(marker, reply) {
      const arrived = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      holds.set(marker, { reply, arrived: arrived.resolve, released: released.promise })
      return { arrived: arrived.promise, release: released.resolve }
    },
    close: async () => void (await Promise.all([model.close(), outside.close()])),
  }
}

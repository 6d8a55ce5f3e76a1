import { defineToolHandler, type JsonObject } from '@amodal/sdk'

interface Card extends JsonObject {
  readonly id: number
  readonly text: string
  readonly done: boolean
}

/** What it changes counts once the turn ends well: `cards` for this board, `made` for all. */
export default defineToolHandler({
  description: 'Puts a card at the end of the board.',
  handler: async ({ text }: { readonly text: string }, ctx) => {
    const state = ctx.state.get()
    const cards = state['cards'] as readonly Card[] // as amodal.json declares it
    const id = Math.max(0, ...cards.map((card) => card.id)) + 1
    await ctx.state.set({
      cards: [...cards, { id, text, done: false }],
      made: Number(state['made']) + 1,
    })
    return { id }
  },
})

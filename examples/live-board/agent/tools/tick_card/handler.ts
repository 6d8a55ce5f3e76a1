import { defineToolHandler, type JsonObject } from '@amodal/sdk'

interface Card extends JsonObject {
  readonly id: number
  readonly text: string
  readonly done: boolean
}

export default defineToolHandler({
  description: 'Ticks a card, or takes its tick away.',
  handler: async ({ id, done = true }: { readonly id: number; readonly done?: boolean }, ctx) => {
    const cards = ctx.state.get()['cards'] as readonly Card[] // as amodal.json declares it
    const index = cards.findIndex((card) => card.id === id)
    if (index === -1) return { error: `there is no card ${id}` }
    await ctx.state.patch([{ op: 'replace', path: `/cards/${index}/done`, value: done }])
    return { id, done }
  },
})

import { defineToolHandler, type JsonObject } from '@amodal/sdk'

interface Card extends JsonObject {
  readonly id: number
  readonly text: string
  readonly done: boolean
}

export default defineToolHandler({
  description: 'Ticks a card, or takes its tick away.',
  handler: async ({ id, done = true }: { readonly id: number; readonly done?: boolean }, ctx) => {
    const cards = ctx.state['cards'] as readonly Card[] // as amodal.json declares it
    if (!cards.some((card) => card.id === id)) return { error: `there is no card ${id}` }
    await ctx.setState({ cards: cards.map((card) => (card.id === id ? { ...card, done } : card)) })
    return { id, done }
  },
})

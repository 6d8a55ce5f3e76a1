import { minutesIn, type Span } from './spans.ts'

interface Params {
  readonly from: string
  readonly to: string
  readonly target: number
}
interface Incident {
  readonly id: string
  readonly service: string
  readonly opened_at: string
  readonly resolved_at: string | null
}
interface Page {
  readonly documents: readonly { readonly payload: Incident }[]
  readonly has_more: boolean
}
interface Context {
  tool(name: string, args: object): Promise<Page>
}

const DAY = 86_400_000

export default async ({ from, to, target }: Params, ctx: Context) => {
  const window: Span = [Date.parse(from), Date.parse(to) + DAY]
  if (window[0] >= window[1]) return { error: '`from` must not be after `to`' }
  const allowed = ((window[1] - window[0]) / 60_000) * (1 - target / 100)

  const byService = Map.groupBy(await noticedIncidents(ctx), ({ service }) => service)
  const services = [...byService].map(([service, incidents]) => {
    // What is not resolved yet counts until the window ends.
    const spans = incidents.map(({ opened_at, resolved_at }): Span => [
      Date.parse(opened_at),
      resolved_at === null ? window[1] : Date.parse(resolved_at),
    ])
    const minutes = minutesIn(window, spans)
    return {
      service,
      minutes,
      budget_left_minutes: Math.round(allowed - minutes),
      incidents: incidents.map(({ id }) => id),
    }
  })
  const down = services.filter(({ minutes }) => minutes > 0).sort((a, b) => b.minutes - a.minutes)
  return { from, to, target, budget_minutes: Math.round(allowed), services: down }
}

async function noticedIncidents(ctx: Context): Promise<readonly Incident[]> {
  const found: Incident[] = []
  for (let more = true; more;) {
    const page = await ctx.tool('query_store', {
      store: 'incidents',
      filter: { customers_affected: true },
      limit: 100,
      offset: found.length,
    })
    found.push(...page.documents.map(({ payload }) => payload))
    more = page.has_more
  }
  return found
}

// What other plugins may see of this one.
import { registry } from '@amodal/sdk'

/** A view of another plugin beside those of the studio: widgets that a route of it answers with. */
export interface StudioView {
  readonly title: string
  /**
   * Path of a route that answers `GET` with `{ widgets: [{ widget_type, data }] }`, the kinds that
   * agents show: `info-card`, `data-table`, `metric`, `entity-card`, `timeline`. Whoever may not
   * ask it is told so in the view.
   */
  readonly route: string
  /** Types of events of the server after which it is asked again. */
  readonly refreshOn?: readonly string[]
}

/** Views that plugins add to the studio, by a name for the address of each. */
export const StudioViews = registry<StudioView>('studio-views')

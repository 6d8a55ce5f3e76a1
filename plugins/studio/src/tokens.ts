// What other plugins may see of this one.
import { registry } from '@amodal/sdk'

export * from './record-list.ts'

/** A view of another plugin beside those of the studio: widgets that a route of it answers with. */
export interface StudioView {
  readonly title: string
  /** An icon of the studio by its name, such as `clock`; default: that of plugins. */
  readonly icon?: string
  /**
   * Path of a route that answers `GET` with `{ widgets: [{ widget_type, data }] }`: the kinds that
   * agents show (`info-card`, `data-table`, `metric`, `entity-card`, `timeline`), and what
   * `recordList` makes. A principal without access sees an error in the view.
   */
  readonly route: string
  /** The scope that its route asks for: whoever lacks it is not offered the view. */
  readonly scope?: string
  /** Types of events of the server after which it is asked again. */
  readonly refreshOn?: readonly string[]
}

/** Views that plugins add to the studio, by a name for the address of each. */
export const StudioViews = registry<StudioView>('studio-views')

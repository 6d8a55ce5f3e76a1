// What other plugins may see of this one.
import { slot, type Failure, type Result } from '@amodal/sdk'

/** A model that turns texts into vectors, so that texts of the same meaning are near each other. */
export interface Embeddings {
  /** Texts of one request at most. */
  readonly batch: number
  /**
   * The vectors of some texts.
   *
   * @param texts at most `batch`, none of them empty
   * @returns one vector for each text, in their order, all of one length
   */
  embed(
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<Result<readonly Float32Array[], Failure>>
}

/** Filled by the plugin `embeddings`, or by one of your own. */
export const Embeddings = slot.kernel<Embeddings>('embeddings')

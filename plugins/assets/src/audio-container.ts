/**
 * Containers that hold video or audio alone. `file-type` calls both video, since their first bytes
 * are the same: recorders of browsers write such files, and a model that hears them reads no video.
 */

/** Bytes in which WebM lists its tracks: they stand before the first sound. */
const TRACKS_BYTES = 65_536
/** More boxes than any real file has: a file full of them is not searched to its end. */
const MOST_HANDLERS = 100
const HANDLER = Buffer.from('hdlr')
/** Version, flags and a reserved field stand between the name of the box and its handler. */
const HANDLER_OFFSET = HANDLER.length + 8
/** An EBML element `CodecID` with its size in one byte; audio codecs begin with `A_`. */
const CODEC = /\x86[\x81-\xbf]([AV])_/g

/**
 * The audio type of a container without a video track.
 *
 * @param mediaType as found by its first bytes
 * @returns `audio/mp4` or `audio/webm`, else the given type
 * @example
 * audioContainer(recording, 'video/webm') // 'audio/webm' of a voice message
 */
export function audioContainer(bytes: Uint8Array, mediaType: string): string {
  switch (mediaType) {
    case 'video/webm':
      return isAudio(webmTracks(bytes)) ? 'audio/webm' : mediaType
    case 'video/mp4':
      return isAudio(mp4Tracks(bytes)) ? 'audio/mp4' : mediaType
    default:
      return mediaType
  }
}

type Track = 'audio' | 'video'

const isAudio = (tracks: ReadonlySet<Track>): boolean => tracks.has('audio') && !tracks.has('video')

function webmTracks(bytes: Uint8Array): ReadonlySet<Track> {
  const head = Buffer.from(bytes.subarray(0, TRACKS_BYTES)).toString('latin1')
  return new Set([...head.matchAll(CODEC)].map(([, kind]) => (kind === 'A' ? 'audio' : 'video')))
}

/** Searches the file for handlers of tracks: their box may stand at its end. */
function mp4Tracks(bytes: Uint8Array): ReadonlySet<Track> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const tracks = new Set<Track>()
  let at = file.indexOf(HANDLER)
  for (let n = 0; at !== -1 && n < MOST_HANDLERS; n++, at = file.indexOf(HANDLER, at + 1)) {
    const handler = file.toString('latin1', at + HANDLER_OFFSET, at + HANDLER_OFFSET + 4)
    if (handler === 'soun') tracks.add('audio')
    if (handler === 'vide') tracks.add('video')
  }
  return tracks
}

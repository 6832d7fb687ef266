/** Bytes of a stream that its client has not read: what comes then ends it. */
const mostUnread = 16 * 1024 * 1024

const room = Number.MAX_SAFE_INTEGER

/**
 * Takes all that a stream brings at once, and breaks it off where its reader falls too far behind, whose connection `drop` ends; one message
 * may be of any size.
 */
export const unread = (drop: () => void, most = mostUnread): TransformStream<Uint8Array, Uint8Array> =>
  new TransformStream<Uint8Array, Uint8Array>(
    {
      transform: (chunk, controller) => {
        const waiting = room - (controller.desiredSize ?? room)
        if (waiting <= most) return controller.enqueue(chunk)
        controller.error(new Error(`its client has not read ${most} bytes`))
        drop()
      }
    },
    undefined,
    { highWaterMark: room, size: ({ byteLength }) => byteLength }
  )

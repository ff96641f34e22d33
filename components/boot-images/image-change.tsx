/** From one image to another: names of images are longer than a phone is wide. */
export const ImageChange = ({ from, to }: { from: string | null; to: string | null }) => (
  <span className="font-mono text-sm wrap-anywhere text-ink-2">
    {from ?? 'none'} <span aria-hidden>→</span>
    <span className="sr-only">to</span> {to ?? 'none'}
  </span>
)

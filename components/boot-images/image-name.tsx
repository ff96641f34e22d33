import { MiddleTruncate } from '@/components/ui'
import { imageTail } from './image-tail'

/** By the end of its path, where two images differ; the whole of it stands in its title. */
export function ImageName({ image, className = 'max-w-64!' }: { image: string; className?: string | undefined }) {
  const name = image.slice(image.lastIndexOf('/') + 1)
  return (
    <span title={image} className="min-w-0">
      <MiddleTruncate text={name} tail={imageTail(name)} className={className} />
    </span>
  )
}

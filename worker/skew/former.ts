import { pool } from '@/lib/db/client'
import { datedFromText } from '@/lib/domain/skew/dated-text'
import type { DatedImage, Sure } from '@/lib/domain/skew/evidence'

/** Images that the machine sets of a cluster had before, each with what was told of it last; of nothing told, nothing. */
export async function formerImages(clusterId: string): Promise<Map<string, DatedImage>> {
  const { rows } = await pool().query<{ image: string; dated: string; sure: string | null; name: string }>(
    `SELECT DISTINCT ON (1) f->>'image' AS image, f->>'dated' AS dated, f->>'sure' AS sure, s.name
     FROM boot_image_set s, jsonb_array_elements(s.former) WITH ORDINALITY AS e(f, n)
     WHERE s.cluster_id = $1 ORDER BY 1, n, s.name, s.id`,
    [clusterId],
  )
  return new Map(
    rows.map(({ image, dated, sure, name }) => [
      image,
      {
        ...datedFromText(dated),
        sure: (sure ?? 'likely') as Sure,
        because: `has an image of ${dated}, which ${name} had before`,
      },
    ]),
  )
}

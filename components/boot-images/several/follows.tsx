/** All that a decision leads to on one of several clusters: nothing of it is left out because there are more. */
export const Follows = ({ sentences }: { sentences: readonly string[] }) => (
  <ul className="grid list-disc gap-0.5 pl-5 text-ink-2">
    {sentences.map((sentence) => (
      <li key={sentence} className="text-pretty wrap-anywhere">
        {sentence}
      </li>
    ))}
  </ul>
)

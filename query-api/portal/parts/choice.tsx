/** A choice that stands in the query of the address; the first option is what an address without it means. */
import { place, setQuery } from '../shell/router.ts';

interface ChoiceProps {
  /** The parameter of the address. */
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  /** Parameters that are removed from the address with another choice. */
  readonly clears?: readonly string[];
}

/** The chosen value of a parameter; the fallback for anything that is no option. */
export function chosen(name: string, options: readonly (readonly [string, string])[]): string {
  const value = place.value.query.get(name);
  return options.find(([option]) => option === value)?.[0] ?? options[0]![0];
}

export function Choice({ name, label, options, clears = [] }: ChoiceProps) {
  const value = chosen(name, options);
  return (
    <label>
      {label}
      <select
        name={name}
        data-action={name}
        value={value}
        onChange={(event) => {
          const next = event.currentTarget.value;
          const cleared = Object.fromEntries(clears.map((parameter) => [parameter, null]));
          setQuery({ ...cleared, [name]: next === options[0]![0] ? null : next });
        }}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

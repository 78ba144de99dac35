import { api } from '../state/ask.ts';
import { both, lang, t } from '../state/settings.ts';
import { Icon } from './icon.tsx';

const first = ['html', 'png', 'csv', 'xlsx', 'markdown', 'json'];
const formNames: Record<string, { en: string; zh: string }> = {
  html: both('HTML report', 'HTML 报告'),
  png: both('PNG picture', 'PNG 图片'),
  svg: both('SVG picture', 'SVG 图片'),
  csv: both('CSV table', 'CSV 表格'),
  xlsx: both('Excel workbook', 'Excel 工作簿'),
  parquet: both('Parquet of all requests', 'Parquet（全部请求）'),
  json: both('JSON', 'JSON'),
  text: both('Text as printed', '终端文本'),
  markdown: both('Markdown', 'Markdown'),
  junit: both('JUnit for CI', 'JUnit（CI）'),
};

/** Every form of a report as a file; `more` is put into the query. */
export function Downloads({
  path,
  forms,
  more = [],
}: {
  path: string;
  forms: readonly string[];
  more?: [string, string][];
}) {
  const sorted = [...first.filter((form) => forms.includes(form)), ...forms.filter((form) => !first.includes(form))];
  return (
    <details class="menu">
      <summary class="button">
        <Icon name="download" /> {t('Download', '下载')}
      </summary>
      <div class="menu-list">
        {sorted.map((form) => {
          const query = new URLSearchParams([...more, ['lang', lang()]]);
          return (
            <a key={form} href={api(`${path}/${form}?${query.toString()}`)} download>
              {formNames[form] === undefined ? t(`As ${form} prints it`, `${form} 格式`) : t(formNames[form])}
            </a>
          );
        })}
      </div>
    </details>
  );
}

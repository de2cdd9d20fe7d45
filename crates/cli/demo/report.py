"""Orders of a year by status: `assay sandbox run report.py --data ecommerce --value year=2026 --out ./out`."""

import pathlib

dated = orders[orders["order_date"].astype(str).str.startswith(str(year))]
by_status = dated.groupby("status")["total"].agg(["count", "sum"]).round(2)
pathlib.Path("out/report.csv").write_text(by_status.to_csv())
print(by_status)

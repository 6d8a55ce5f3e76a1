total=$(awk -f total.awk prices.csv)
if [ "$total" = 90 ]; then
  echo "ok"
else
  echo "total.awk: expected 90, got $total"
  exit 1
fi

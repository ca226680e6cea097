# What makes the commands of the documents small where they are tested, word by word, and in files that they name; by sed -E. The words stay what they
# are: only sizes, times and counts shrink, and of FILE... and of the matrices of counters there is one. CONTRIBUTING.md says how documents are tested.
s/((laplace3d|anderson):[0-9]{2})[0-9]/\1/g
s/((laplace3d|anderson):)[3-9][0-9]([^0-9]|$)/\120\3/g
s/(hpcg:)([3-9][0-9]|[0-9]{3})/\112/g
s/(laplace2d:[0-9]{2})[0-9]{2}/\1/g
s/(laplace2d:)[2-9][0-9]{2}/\140/g
s/((random|band|arrow|block):[0-9]{2,4})000/\1/g
s/(powerlaw:)(1[3-9]|2[0-9])/\112/g
s/([A-Za-z0-9])\.\.\.$/\1/
s/^--runs=?[0-9]+$/--runs=2/
s/(--budget[ =])[0-9.]+(ms|s)/\120ms/
s/^matrix=.*,(mycielskian13)(,.*)?$/matrix=\1/
